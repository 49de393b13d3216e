// Delivers what is queued and due: a lane for each endpoint, so that a dead or slow one delays nobody (contract §8).
import { setMaxListeners } from 'node:events';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import { type WebhookQueueKey, webhookQueues } from '../projections/models/webhook-queues.ts';
import { allOf } from '../queries/pages.ts';
import type { Query, ReadModels } from '../stores/read-models.ts';
import { Alarm, type World } from '../world.ts';
import { type DueParts, inRounds } from './policy.ts';
import { Lane, type LaneNeeds, LONGEST_DUE_FIRST } from './webhook-lane.ts';

/** How often the queues of all endpoints are looked at: retries fall due, and other processes queue. */
const EVERY_MS = 1_000;
/** Due queues that one look finds. Where there are more, the lane of each endpoint looks for its own. */
const FOUND = 250;
/** Endpoints whose queues one look asks for: stores merge no more pieces of an index. */
const ASKED = 200;

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
 * On the node that does due work, until the signal aborts; then it waits for the calls under way. No other node ever
 * helps: messages of a dead endpoint stay due for days, and two nodes would call it twice for each.
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
  const look = new WholeLook(needs.world);
  const round = async (): Promise<void> => {
    const ids = wanted.take();
    for (const id of ids) lanes.open(id);
    if (ids.size === 0 || look.isDue) await look.at(() => lanes.openDue());
  };
  await inRounds(
    { of: webhookQueues, everyMs: EVERY_MS },
    round,
    { ...parts, isBuilt, alarm: wanted.alarm },
    needs,
    signal,
  );
  await lanes.over();
}

/** When all endpoints were looked at: a stream of new messages must not keep a retry from its turn. */
class WholeLook {
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

class Lanes {
  readonly #needs: LaneNeeds;
  readonly #readModels: ReadModels;
  readonly #signal: AbortSignal;
  /** The lane of each endpoint that had due messages, by its id. */
  readonly #lanes = new Map<string, Lane>();

  constructor(needs: LaneNeeds, readModels: ReadModels, signal: AbortSignal) {
    this.#needs = needs;
    this.#readModels = readModels;
    this.#signal = signal;
  }

  /**
   * Opens the lane of every enabled endpoint for which something is due; does not wait for them. Mostly nothing is: one
   * look at the queues of all costs a third of a look of each lane. Throws StoreUnavailable.
   */
  async openDue(): Promise<void> {
    const enabled: string[] = [];
    for await (const { id } of allOf(this.#readModels, webhookEndpoints, {
      where: { enabled: [true] },
      isDueWork: true,
    }))
      enabled.push(id);
    for (const id of await this.#dueAmong(enabled)) this.open(id);
  }

  /** All of them, where one look does not find all that is due. */
  async #dueAmong(endpointIds: readonly string[]): Promise<Iterable<string>> {
    if (endpointIds.length < 2 || endpointIds.length > ASKED) return endpointIds;
    const where: Query<WebhookQueueKey>['where'] = { endpointId: endpointIds, dueAt: { to: this.#needs.world.now() } };
    const rows = await this.#readModels.find(webhookQueues, {
      where,
      order: LONGEST_DUE_FIRST,
      limit: FOUND,
      isDueWork: true,
    });
    if (rows.length === FOUND) return endpointIds;
    return new Set(rows.flatMap(({ doc }) => (doc.status === 'absent' ? [] : [doc.endpointId])));
  }

  open(endpointId: string): void {
    const lane = this.#lanes.get(endpointId) ?? new Lane(this.#needs, this.#readModels, endpointId, this.#signal);
    this.#lanes.set(endpointId, lane);
    lane.want();
  }

  /** Resolves when no lane is at work. */
  async over(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.over()));
  }
}
