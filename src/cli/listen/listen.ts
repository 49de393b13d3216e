// The work of counterfoil listen: the webhooks of a service in test mode, on a developer's machine, with misfortunes if
// they are wanted; until Ctrl-C. A missing receiver or service is said once, and once when it is there again.
import { checkpointQueueIdOf, queueIdOf } from '../../commands/webhooks/queue-messages.ts';
import { deliveryIdOf } from '../../commands/webhooks/resend-message.ts';
import { readConfig } from '../../config.ts';
import { Nodes } from '../../projections/running/nodes.ts';
import { shownUrl } from '../../store-urls.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { liveWorld } from '../../world.ts';
import { runningServices } from '../addresses.ts';
import type { GivenValues } from '../command.ts';
import { onInterrupt, Refused } from '../exit.ts';
import { roomHere } from '../lines.ts';
import { whichAccount } from '../named.ts';
import type { Opened } from '../open/open.ts';
import { withService } from '../open/with-stores.ts';
import { tell, write, writeJson, writeStyled } from '../output.ts';
import type { listen as rows } from '../rows/trial.ts';
import { paragraph } from '../table.ts';
import { drawn, heading, jsonOf, ListenCounts } from './drawing.ts';
import { mustBeTestMode, openShortLivedEndpoint, type ShortLivedEndpoint } from './endpoint.ts';
import { forwardTo, type Misfortunes, Relay, type Relayed } from './relay.ts';

type ListenOptions = GivenValues<typeof rows.listen>;

/** How often it looks whether its endpoint is still one. */
const LOOK_EVERY_MS = 1_000;
/** The status of a receiver that wants no more messages. */
const GONE = 410;

/**
 * Resolves at Ctrl-C, when nothing is left of it. Throws Refused if the endpoint was ended by others, Unavailable,
 * StoreUnavailable.
 */
export async function listen(options: ListenOptions): Promise<undefined> {
  mustBeTestMode(readConfig(options, process.env));
  await withService(options, (opened) => listenTo(opened, options));
}

async function listenTo(opened: Opened, options: ListenOptions): Promise<void> {
  const { service } = opened;
  const accountId = await whichAccount(opened, options);
  const seed = options.seed ?? Buffer.from(liveWorld.randomBytes(2)).readUInt16BE();
  const misfortunes: Misfortunes = {
    duplicate: options.duplicate ?? false,
    shuffle: options.shuffle ?? false,
    drop: options.drop,
    seed,
  };
  const interrupts = onInterrupt();
  const { forward, close } = forwardTo(options.forwardTo, liveWorld);
  const counts = new ListenCounts();
  const receiver = new ReceiverState(options.forwardTo);
  const relay = new Relay({
    forward,
    misfortunes,
    world: liveWorld,
    onRelayed(relayed) {
      counts.add(relayed);
      show(relayed, options);
      receiver.heard(relayed);
    },
    async resend({ told }) {
      const [endpointId, { sequence }] = [endpoint?.id ?? '', told];
      const subject = told.payment ?? told.agreement;
      const queueId = subject ? queueIdOf(endpointId, subject.id) : checkpointQueueIdOf(endpointId, sequence);
      const id = deliveryIdOf(queueId, sequence);
      await service.webhooks.resendWebhook(id).catch(opened.report); // where it is refused the endpoint is over
    },
  });
  let endpoint: ShortLivedEndpoint | undefined;
  try {
    const wanted = { accountId, events: options.events, address: options.address };
    endpoint = await openShortLivedEndpoint(opened, wanted, (delivery, signal) => relay.take(delivery, signal));
    const [service] = await runningServices(opened.config.dataDir);
    await announce(endpoint, { accountId, misfortunes, from: service?.publicUrl }, options);
    await untilOver(endpoint, receiver, new ServicePresence(opened), interrupts.signal);
  } finally {
    interrupts.stop();
    await endpoint?.end().finally(() => relay.close());
    close();
    if (endpoint !== undefined && options.json !== true) tell(counts.summary());
  }
}

interface Announced {
  readonly accountId: string;
  readonly misfortunes: Misfortunes;
  /** The public URL of the service on these stores; undefined if it runs on another machine, or not at all. */
  readonly from: string | undefined;
}

async function announce(
  { id, secret }: ShortLivedEndpoint,
  { accountId, misfortunes, from }: Announced,
  { forwardTo: to, events, json }: ListenOptions,
): Promise<void> {
  if (json === true) {
    await writeJson(
      `${JSON.stringify({ endpointId: id, secret, forwardTo: to.href, accountId, events: events ?? null, ...misfortunes })}\n`,
    );
    return;
  }
  const { duplicate, shuffle, drop, seed } = misfortunes;
  const wishes = [
    duplicate && 'each message twice',
    shuffle && 'out of order',
    drop > 0 && `${roundPercent(drop)} dropped`,
  ].filter(Boolean);
  const sender = from === undefined ? '' : `From:   ${from}\n`;
  await write(`Secret: ${secret}\n${sender}To:     ${to.href}\n`);
  if (wishes.length > 0)
    await write(`With:   ${wishes.join(', ')}${shuffle || drop > 0 ? `; again: --seed ${seed}` : ''}\n`);
  tell('Ready. Deliveries appear as they arrive, with times in UTC. Press Ctrl-C to stop.');
  await write(`\n${heading(roomHere())}\n`);
}

const roundPercent = (part: number): string => `${Math.round(part * 1_000) / 10}%`;

function show(relayed: Relayed, { json }: ListenOptions): void {
  if (json === true) void writeJson(jsonOf(relayed));
  else void writeStyled(`${drawn(relayed, roomHere())}\n`);
}

/** Resolves at the interrupt; throws Refused if the endpoint was disabled. */
async function untilOver(
  endpoint: ShortLivedEndpoint,
  receiver: ReceiverState,
  presence: ServicePresence,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await presence.look().catch(unlessUnavailable);
    await liveWorld.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
    const ended = signal.aborted ? undefined : await endpoint.ended().catch(unlessUnavailable);
    if (ended === undefined) continue;
    if (ended.because === 'asked') throw new Refused('The endpoint was disabled: no more messages will arrive.');
    if (receiver.lastStatus === GONE)
      throw new Refused('The receiver returned 410, which disables an endpoint: no more messages will arrive.');
    throw new Refused(
      `The service cannot reach ${new URL(endpoint.url).origin}. If the service runs on another machine, set --address to an address of this machine.`,
    );
  }
}

/** Nobody can have disabled it then. */
const unlessUnavailable = (fault: unknown): undefined => {
  if (!(fault instanceof StoreUnavailable)) throw fault;
};

class ReceiverState {
  readonly #to: URL;
  #isMissing = false;
  #lastStatus: number | undefined;

  constructor(to: URL) {
    this.#to = to;
  }

  /** The status of its last response. */
  get lastStatus(): number | undefined {
    return this.#lastStatus;
  }

  heard(relayed: Relayed): void {
    if (relayed.kind !== 'sent') return;
    const { answer } = relayed;
    const isMissing = 'fault' in answer;
    if (isMissing && !this.#isMissing) tell(paragraph(noReceiver(this.#to, answer.fault, answer.status)));
    if (!isMissing && this.#isMissing) tell(`The receiver at ${this.#to.href} answers.`);
    this.#isMissing = isMissing;
    this.#lastStatus = answer.status;
  }
}

const noReceiver = ({ href }: URL, why: string, status: number): string =>
  `No answer from ${href}: ${why}. The service is told ${status}: it delivers again after 5 s, then 5 min, then 30 min. \`counterfoil webhooks resend\` is sooner.`;

/** Twice the time between two signs of life. */
const SILENT_MS = 6_000;

/** A `listen` on stores without a service would wait for ever. */
class ServicePresence {
  readonly #nodes: Nodes;
  readonly #where: string;
  #isMissing = false;

  constructor({
    service: { readModels },
    config: { eventStore, dataDir },
    report,
  }: Pick<Opened, 'service' | 'config' | 'report'>) {
    // It only looks, and shows no sign of life: it is not a process that serves.
    const self = { name: 'listen', version: '' };
    this.#nodes = new Nodes({ readModels, world: liveWorld, report, self, isLeading: () => false });
    this.#where = eventStore.kind === 'sqlite' ? dataDir : shownUrl(eventStore);
  }

  /** Throws StoreUnavailable. */
  async look(): Promise<void> {
    const nodes = await this.#nodes.list();
    const isMissing = !nodes.some(({ isThis, silentMs }) => !isThis && silentMs < SILENT_MS);
    if (isMissing && !this.#isMissing) tell(paragraph(noService(this.#where)));
    if (!isMissing && this.#isMissing) tell('A service is running now.');
    this.#isMissing = isMissing;
  }
}

const noService = (where: string): string =>
  `No service is running on ${where}. Start one with \`counterfoil serve\`. Deliveries arrive as soon as it runs.`;
