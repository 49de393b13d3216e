// Work that falls due. The to-do list is a key of a read model: it survives crashes and can be listed.
import { UnknownEvent } from '../journal/envelope.ts';
import { allOf } from '../queries/pages.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { Collection, Key, ReadModels, Stored } from '../stores/read-models.ts';
import type { Alarm, World } from '../world.ts';

export interface Policy<Doc extends object, K extends string> {
  /** kebab-case: the actor in the events that it causes. */
  readonly name: string;
  readonly of: Collection<Doc, K>;
  /** The key that says since or from when, in ms, a document wants attention; no key, no work. */
  readonly due: K;
  /** How long after the key the work waits, ms, so that the request that began it may finish it. */
  readonly graceMs: number;
  /** How often the policy looks for due work, ms. */
  readonly everyMs: number;
  /**
   * How much longer, ms, the work waits on a node that leaves it to another one (the engine's lease). Work that is
   * undone then has no worker, for example because that node does not reach the processor, or is older than the events.
   * Undefined: for ever, because its documents may stay due for ever.
   */
  readonly elsewhereMs?: number;
  /** Must append an event that moves or removes the due time; repeating it must be harmless. */
  readonly act: (row: Stored<Doc>) => Promise<void>;
}

/** How many documents are read, and taken on, at once, and how many pages of them in a round. */
const PAGE = 100;
const PAGES = 50;

/** The node that a policy runs on. */
export interface PolicyNode {
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

export interface DueParts {
  readonly readModels: ReadModels;
  /** True if a read model can be asked for due work. */
  readonly isBuilt: (name: string) => boolean;
  /** True if another node, known to be alive, does the work. */
  readonly isWorkElsewhere: () => boolean;
  /** Ends the pause between two rounds. */
  readonly alarm: Alarm;
}

/** The document after which a round goes on; from the first one on when it is empty. */
interface RoundStart {
  after?: { readonly key: Key; readonly id: string };
}

/** Does due work until the signal aborts. */
export function runPolicy<Doc extends object, K extends string>(
  policy: Policy<Doc, K>,
  parts: DueParts,
  node: PolicyNode,
  signal: AbortSignal,
): Promise<void> {
  const next: RoundStart = {};
  return inRounds(
    policy,
    async (waitMs) => void (await runDue(policy, parts.readModels, node, waitMs, next)),
    parts,
    node,
    signal,
  );
}

/**
 * A round of work at once and after every pause, until the signal aborts, while its read model `isBuilt`. A fault (a
 * store that is unavailable) is reported once, and every round tries again.
 */
export async function inRounds(
  {
    of,
    everyMs,
    elsewhereMs,
  }: Pick<Policy<object, string>, 'everyMs' | 'elsewhereMs'> & { readonly of: { readonly name: string } },
  round: (waitMs: number) => Promise<void>,
  { isBuilt, isWorkElsewhere, alarm }: DueParts,
  { world, report }: PolicyNode,
  signal: AbortSignal,
): Promise<void> {
  let failing = false;
  let [rung, rungAt] = [alarm.rung, Number.NEGATIVE_INFINITY];
  // Work that a movement of the clock made due has been undone since then, however long ago it fell due by the new
  // time.
  const isLeft = (): boolean => elsewhereMs === undefined || world.monotonic() - rungAt < elsewhereMs;
  while (!signal.aborted) {
    if (alarm.rung !== rung) [rung, rungAt] = [alarm.rung, world.monotonic()];
    try {
      const waitMs = !isWorkElsewhere() ? 0 : isLeft() ? undefined : elsewhereMs;
      if (waitMs !== undefined && isBuilt(of.name)) await round(waitMs);
      failing = false;
    } catch (fault) {
      if (!failing) report(fault);
      failing = true;
    }
    await alarm.sleep(world, everyMs, signal, rung);
  }
}

/**
 * Does the work that has been due for `waitMs`; answers the number of its documents. A fault of one delays none of the
 * others. Where there are more than a round takes, `next` is where the next round goes on: thousands that stay due must
 * not keep later ones from their turn.
 */
export async function runDue<Doc extends object, K extends string>(
  { of, due, graceMs, act }: Policy<Doc, K>,
  readModels: ReadModels,
  { world, report }: PolicyNode,
  waitMs = 0,
  next: RoundStart = {},
): Promise<number> {
  const where: { [N in K]?: { readonly to: number } } = {};
  where[due] = { to: world.now() - graceMs - waitMs };
  const tell = (fault: unknown): void => {
    // A newer node wrote it, and does its work; a break is reported once, where it is found.
    if (!(fault instanceof UnknownEvent) && !(fault instanceof BrokenStream)) report(fault);
  };
  const underWay = new Set<Promise<unknown>>();
  let done = 0;
  const { after } = next;
  delete next.after;
  // Page by page: documents that stay due (parked ones) must not keep later ones from their turn.
  for await (const row of allOf(
    readModels,
    of,
    { where, order: { by: due, descending: false }, ...(after && { after }), isDueWork: true },
    PAGE,
  )) {
    if (underWay.size >= PAGE) await Promise.race(underWay); // work that hangs takes one of the turns, and no other
    const work: Promise<unknown> = act(row)
      .catch(tell)
      .finally(() => underWay.delete(work));
    underWay.add(work);
    done += 1;
    if (done < PAGES * PAGE) continue;
    const key = of.keys[due](row.doc);
    if (key !== undefined) next.after = { key, id: row.id };
    break;
  }
  await Promise.all(underWay);
  return done;
}
