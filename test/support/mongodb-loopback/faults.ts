// The ordered misbehaviour, and the commands that it meets.
import type { Command } from './commands/command.ts';
import type { Of, Order } from './orders.ts';

export type Fault = Extract<Order, { readonly fail: unknown }>['fail'];

const WRITES: ReadonlySet<string> = new Set([
  'insert',
  'update',
  'delete',
  'create',
  'createIndexes',
  'drop',
  'dropIndexes',
  'dropDatabase',
]);
const READS: ReadonlySet<string> = new Set([
  'find',
  'getMore',
  'count',
  'aggregate',
  'distinct',
  'listCollections',
  'listIndexes',
  'listDatabases',
]);

export const isWrite = (name: string): boolean => WRITES.has(name);
export const isRead = (name: string): boolean => READS.has(name);

const concerns = (of: Of, name: string): boolean =>
  of === 'writes' ? isWrite(name) : of === 'reads' ? isRead(name) : isWrite(name) || isRead(name) || name === 'ping';

interface Standing {
  readonly fault: Fault;
  readonly of: Of;
  readonly command: string | undefined;
  readonly collection: string | undefined;
  left: number;
}

export class Faults {
  slowMs = 0;
  lagMs = 0;
  slowReads = { collection: '', ms: 0 };
  #standing: Standing[] = [];

  order({ fail: fault, of, times = 1, command, collection }: Extract<Order, { readonly fail: unknown }>): void {
    if (times === 0) this.#standing = [];
    else this.#standing.push({ fault, of, command, collection, left: times });
  }

  /** The ordered duration of a command, ms. */
  workMs({ name, body }: Command): number {
    const { collection, ms } = this.slowReads;
    return isRead(name) && body[name] === collection ? ms : 0;
  }

  /** The fault for this command; asking uses it up. */
  next({ name, body }: Command): Fault | undefined {
    if (this.#standing.length === 0) return undefined;
    const target = name === 'getMore' ? body['collection'] : body[name];
    const met = this.#standing.find(
      ({ of, command = name, collection = target }) => concerns(of, name) && command === name && collection === target,
    );
    if (met === undefined) return undefined;
    met.left -= 1;
    if (met.left === 0) this.#standing = this.#standing.filter((standing) => standing !== met);
    return met.fault;
  }

  clear(): void {
    this.slowMs = 0;
    this.lagMs = 0;
    this.slowReads = { collection: '', ms: 0 };
    this.#standing = [];
  }
}
