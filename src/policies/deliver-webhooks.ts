// Delivers what is queued and due: a lane for each endpoint, so that a dead or slow one delays nobody (contract §8).
import { setMaxListeners } from 'node:events';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import { webhookQueues } from '../projections/models/webhook-queues.ts';
import { allOf } from '../queries/pages.ts';
import type { ReadModels } from '../stores/read-models.ts';
import { Alarm, type World } from '../world.ts';
import { type DueParts, inRounds } from './policy.ts';
import { type LaneNeeds, runLane } from './webhook-lane.ts';
import { Pace } from './webhook-pace.ts';

/** How often the queues of all endpoints are looked at: retries fall due, and other processes queue. */
const EVERY_MS = 1_000;

/** The endpoints that got messages a moment ago: their lanes need not wait for the next look at all of them. */
export class WantedLanes {
  /** Rung when there are some, and when the business clock was moved. */
  readonly alarm = new Alarm();
  #ids = new Set<string>();

  add(endpointIds: readonly string[]): void {
    if (endpointIds.length === 0) return;
    for (const id of endpointIds) this.#ids.add(id);
    this.alarm.ring();
  }

  take(): ReadonlySet<string> {
    const ids = this.#ids;
    this.#ids = new Set();
    return ids;
  }
}

/**
 * On the node that does due work, until the signal aborts; then it waits for the calls under way. No other node ever helps: messages of
 * a dead endpoint stay due for days, and two nodes would call it twice for each.
 */
export async function deliverWebhooks(
  needs: LaneNeeds,
  parts: Omit<DueParts, 'alarm'> & { readonly wanted: WantedLanes },
  signal: AbortSignal,
): Promise<void> {
  const { readModels, wanted } = parts;
  setMaxListeners(0, signal); // each lane that rests waits for it
  const lanes = new Lanes(needs, readModels, signal);
  const isBuilt = (): boolean => [webhookQueues, webhookEndpoints].every(({ name }) => parts.isBuilt(name));
  const look = new Look(needs.world);
  const round = async (): Promise<void> => {
    const ids = wanted.take();
    if (ids.size > 0 && !look.isDue) for (const id of ids) lanes.open(id);
    else await look.at(() => lanes.openAll());
  };
  await inRounds({ of: webhookQueues, everyMs: EVERY_MS }, round, { ...parts, isBuilt, alarm: wanted.alarm }, needs, signal);
  await lanes.over();
}

/** When all endpoints were looked at: a stream of new messages must not keep a retry from its turn. */
class Look {
  readonly #world: Pick<World, 'monotonic'>;
  #at = Number.NEGATIVE_INFINITY;

  constructor(world: Pick<World, 'monotonic'>) {
    this.#world = world;
  }

  get isDue(): boolean {
    return this.#world.monotonic() - this.#at >= EVERY_MS;
  }

  async at(look: () => Promise<void>): Promise<void> {
    const at = this.#world.monotonic();
    await look();
    this.#at = at;
  }
}

interface Open {
  /** Due work may have come while the lane was at work: it looks once more before it ends. */
  isWanted: boolean;
  readonly work: Promise<void>;
}

class Lanes {
  readonly #needs: LaneNeeds;
  readonly #readModels: ReadModels;
  readonly #signal: AbortSignal;
  readonly #open = new Map<string, Open>();
  /** Of each endpoint that was called. */
  readonly #paces = new Map<string, Pace>();

  constructor(needs: LaneNeeds, readModels: ReadModels, signal: AbortSignal) {
    this.#needs = needs;
    this.#readModels = readModels;
    this.#signal = signal;
  }

  /** Opens the lane of every enabled endpoint; does not wait for them. Throws StoreUnavailable. */
  async openAll(): Promise<void> {
    for await (const { id } of allOf(this.#readModels, webhookEndpoints, { where: { enabled: [true] } })) this.open(id);
  }

  open(endpointId: string): void {
    const open = this.#open.get(endpointId);
    if (open !== undefined) open.isWanted = true;
    else this.#begin(endpointId);
  }

  /** Resolves when no lane is at work. */
  async over(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ work }) => work));
  }

  #begin(endpointId: string): void {
    const work = Promise.resolve()
      .then(() => this.#run(endpointId))
      .catch(this.#needs.report)
      .finally(() => this.#open.delete(endpointId));
    this.#open.set(endpointId, { isWanted: true, work });
  }

  async #run(endpointId: string): Promise<void> {
    const open = this.#open.get(endpointId);
    const pace = this.#paces.get(endpointId) ?? new Pace(this.#needs.world);
    this.#paces.set(endpointId, pace);
    while (open?.isWanted === true && !this.#signal.aborted) {
      open.isWanted = false;
      await runLane(this.#needs, this.#readModels, endpointId, pace, this.#signal);
    }
  }
}
