// A stream of the golden log: its events, sealed as the journal seals them, on a world that always answers the same.
import { createHash } from 'node:crypto';
import type { Category, DomainEvent } from '../../../src/domain/category.ts';
import { beforeFirst, isPersonal, seal } from '../../../src/journal/envelope.ts';
import { liveWorld, type World } from '../../../src/world.ts';
import { goldenBytes, type Line } from '../golden-log.ts';

export interface Scenario {
  readonly stream: string;
  readonly lines: () => readonly Line[];
  /** The events in a separate stream, with another event after them. Throws if its data does not match its schema. */
  readonly followedBy: (type: string, data: unknown) => Scenario;
}

/** Business time of the first event of each scenario, and between two events, ms. */
export const AT = Date.UTC(2026, 0, 31, 23, 59, 50);
const STEP_MS = 4_000;

/** The stream's events, each an append of its own. `personalKey`: encrypts their personal members. */
export const scenario = <Event extends DomainEvent>(
  category: Category<Event>,
  id: string,
  events: readonly Event[],
  personalKey?: string,
): Scenario => {
  const stream = `${category.name}-${id}`;
  return {
    stream,
    lines: () => linesOf(category, stream, events, personalKey),
    followedBy(type, data) {
      const version = 1 + (category.upcasters.get(type)?.length ?? 0);
      return scenario(
        category,
        `${id.replace(/_.*/, '')}_${type}${version}`,
        [...events, category.event.parse({ type, data })],
        personalKey,
      );
    },
  };
};

function linesOf<Event extends DomainEvent>(
  category: Category<Event>,
  stream: string,
  events: readonly Event[],
  personalKey: string | undefined,
): readonly Line[] {
  const world = worldOf(stream);
  let head = beforeFirst;
  return events.flatMap((event, index) => {
    const context = {
      accountId: 'acc_golden',
      actor: { kind: 'apiKey' as const, id: 'key_golden' },
      at: AT + index * STEP_MS,
      correlationId: `req_${id4(world)}`,
      operationId: `op_${id4(world)}`,
      ...(index > 0 && { causationId: `follows-${index - 1}` }),
    };
    const isEncrypted = personalKey !== undefined && isPersonal(category, event);
    const keys = new Map(isEncrypted ? [[event, { id: personalKey, key: goldenBytes(personalKey) }]] : []);
    const sealed = seal(category, [event], context, head, world, undefined, keys);
    return sealed.map(({ stored, recorded, hash }) => {
      head = { revision: recorded.revision, hash, recordedAt: recorded.at };
      return { stream, ...stored };
    });
  });
}

const id4 = (world: World): string => Buffer.from(world.randomBytes(4)).toString('hex');

/** Random bytes that follow from the stream's name. */
function worldOf(stream: string): World {
  let count = 0;
  const randomBytes = (size: number): Uint8Array => {
    count += 1;
    return createHash('sha512').update(`${stream} ${count}`).digest().subarray(0, size);
  };
  return { ...liveWorld, now: () => AT, randomBytes };
}
