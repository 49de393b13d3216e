// `listen` at work: its endpoint, the relay to the receiver, what it draws, and its end.
import { checkpointQueueIdOf, queueIdOf } from '../../commands/webhooks/queue-messages.ts';
import { deliveryIdOf } from '../../commands/webhooks/resend-message.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { liveWorld } from '../../world.ts';
import type { CommonOptions } from '../command.ts';
import { Refused } from '../exit.ts';
import { onInterrupt } from '../interrupt.ts';
import type { Opened } from '../open/open.ts';
import { tell, write, writeJson, writeStyled } from '../output.ts';
import { runningServices } from '../running-address.ts';
import { roomHere } from '../table.ts';
import { type AccountOption, whichAccount } from '../which-account.ts';
import type { Misfortunes } from './choices.ts';
import { ListenCounts } from './counts.ts';
import { drawn, heading, jsonOf } from './drawing.ts';
import { forwardTo } from './forward.ts';
import { ReceiverState, ServicePresence } from './presence.ts';
import { Relay, type Relayed } from './relay.ts';
import { openShortLivedEndpoint, type ShortLivedEndpoint } from './short-lived-endpoint.ts';

export interface ListenOptions extends CommonOptions, AccountOption {
  readonly forwardTo: URL;
  readonly events?: readonly string[];
  readonly duplicate?: boolean;
  readonly shuffle?: boolean;
  readonly drop: number;
  readonly seed?: number;
  readonly address: string;
}

/** How often it looks whether its endpoint is still one. */
const LOOK_EVERY_MS = 1_000;
/** The status of a receiver that wants no more messages. */
const GONE = 410;

/**
 * Resolves at Ctrl-C, when nothing is left of it. Throws Refused if the endpoint was ended by others, Unavailable,
 * StoreUnavailable.
 */
export async function runListener(opened: Opened, options: ListenOptions): Promise<void> {
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
      const [endpointId, { payment, sequence }] = [endpoint?.id ?? '', told];
      const queueId = payment ? queueIdOf(endpointId, payment.id) : checkpointQueueIdOf(endpointId, sequence);
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

const roundPercent = (part: number): string => `${Math.round(part * 1_000) / 10} %`;

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
