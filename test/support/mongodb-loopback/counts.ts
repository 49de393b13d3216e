// Counts commands by name, collection and concerns.
import { isRecord } from './bson/elements.ts';
import type { Command } from './commands/command.ts';
import type { Count } from './orders.ts';

const SEQUENCES: Readonly<Record<string, string>> = { insert: 'documents', update: 'updates', delete: 'deletes' };

interface Counted {
  readonly first: Omit<Count, 'times' | 'statements'>;
  times: number;
  statements: number;
}

const part = (options: unknown, name: string): string | undefined =>
  isRecord(options) && options[name] !== undefined ? String(options[name]) : undefined;

export class Counts {
  readonly #counted = new Map<string, Counted>();

  add({ name, body, sequences }: Command): void {
    const readConcern = part(body['readConcern'], 'level');
    const writeConcern = part(body['writeConcern'], 'w');
    const collection = String(name === 'getMore' ? body['collection'] : body[name]);
    const hint = isRecord(body['hint']) ? Object.keys(body['hint']).join() : undefined;
    const key = `${name} ${collection} ${readConcern} ${writeConcern} ${hint}`;
    let counted = this.#counted.get(key);
    if (counted === undefined) {
      counted = { first: { command: name, collection, readConcern, writeConcern, hint }, times: 0, statements: 0 };
      this.#counted.set(key, counted);
    }
    counted.times += 1;
    counted.statements += sequences.get(SEQUENCES[name] ?? '')?.length ?? 0;
  }

  /** Counts by name and collection. */
  list(): readonly Count[] {
    return Array.from(this.#counted.values(), ({ first, times, statements }) => ({ ...first, times, statements })).sort(
      (a, b) => (`${a.command} ${a.collection}` < `${b.command} ${b.collection}` ? -1 : 1),
    );
  }

  reset(): void {
    this.#counted.clear();
  }
}
