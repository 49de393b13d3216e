// The receiver of `demo --webhooks`: it verifies each message, and shows it below the call that caused it.
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { Alarm, type World } from '../../world.ts';
import type { ArrivedMessage, ReceiverAnswer, ShortLivedEndpoint } from '../listen/endpoint.ts';
import type { DemoExchange } from './calls.ts';
import type { ServiceForDemo } from './service-for-demo.ts';

/** A message as the demo shows it. */
interface DemoDelivery {
  readonly eventId: string;
  readonly eventType: string;
  readonly paymentId: string;
  readonly sequence: number;
  readonly previousSequence: number | null;
  /** The status of the payment in the message. */
  readonly status: string;
  /** True if it was signed with the endpoint's secret. */
  readonly verified: boolean;
  /** After the request of the call that caused it. */
  readonly ms: number;
}

interface Arrived {
  readonly message: ArrivedMessage['told'];
  readonly verified: boolean;
  /** By the steady clock, ms. */
  readonly at: number;
}

const WITHIN_MS = 10_000;
/** The calls that change a payment. */
const Changed = z.looseObject({ id: z.string().startsWith('pay_'), version: z.number() });

export class DemoReceiver {
  readonly #world: World;
  readonly #arrived: Arrived[] = [];
  readonly #deliveries: DemoDelivery[] = [];
  readonly #alarm = new Alarm();
  #endpoint: ShortLivedEndpoint | undefined;

  private constructor(world: World) {
    this.#world = world;
  }

  /** With an endpoint of its own at the service. Throws what openShortLivedEndpoint throws. */
  static async open(service: Pick<ServiceForDemo, 'receive'>, world: World): Promise<DemoReceiver> {
    const receiver = new DemoReceiver(world);
    receiver.#endpoint = await service.receive((message) => receiver.#take(message));
    return receiver;
  }

  /** All that were shown, in their order. */
  get deliveries(): readonly DemoDelivery[] {
    return this.#deliveries;
  }

  get secret(): string {
    return this.#endpoint?.secret ?? '';
  }

  /** The messages that a call has caused; waits 10 s for them. None for a call that changes no payment. */
  async causedBy({ status, ms, answer }: DemoExchange): Promise<readonly DemoDelivery[]> {
    const begunAt = this.#world.monotonic() - ms;
    const changed = Changed.safeParse(answer).data;
    if (status !== 200 || changed === undefined) return [];
    const own = (): readonly Arrived[] => this.#arrived.filter(({ message }) => message.payment?.id === changed.id);
    while (
      !own().some(({ message }) => message.sequence >= changed.version) &&
      this.#world.monotonic() - begunAt < WITHIN_MS
    )
      await this.#alarm.sleep(this.#world, WITHIN_MS, new AbortController().signal, this.#alarm.rung);
    const shown = new Set(this.#deliveries.map(({ eventId }) => eventId));
    const caused = own().filter(({ message }) => !shown.has(message.eventId));
    const found = caused.map((one) => deliveryOf(one, begunAt));
    this.#deliveries.push(...found);
    return found;
  }

  async end(): Promise<void> {
    await this.#endpoint?.end();
  }

  async #take({ headers, text, told: message }: ArrivedMessage): Promise<ReceiverAnswer> {
    const verified = isSigned(text, headers, this.secret);
    this.#arrived.push({ message, verified, at: this.#world.monotonic() });
    this.#alarm.ring();
    return { status: verified ? 204 : 400 };
  }
}

/** True if the secret signed the message (contract §8): merchants verify with a client, which also checks the age. */
function isSigned(text: string, headers: ArrivedMessage['headers'], secret: string): boolean {
  const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
  const right = hmac.update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`).digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${right}`);
}

const deliveryOf = ({ message, verified, at }: Arrived, begunAt: number): DemoDelivery => ({
  eventId: message.eventId,
  eventType: message.eventType,
  paymentId: message.payment?.id ?? '',
  sequence: message.sequence,
  previousSequence: message.previousSequence ?? null,
  status: message.payment?.status ?? '',
  verified,
  ms: Math.round(at - begunAt),
});

/** The line of a message, below the call that caused it. */
export const shownDelivery = ({ eventType, sequence, previousSequence, status, verified, ms }: DemoDelivery): string =>
  `  ⇠ ${eventType}  ${sequence}${previousSequence === null ? '' : ` ← ${previousSequence}`}  ${status}  ${verified ? 'signed' : 'BADLY SIGNED'}, ${ms} ms after the request`;

/** The findings of the deliveries, in the order of the calls; or what is missing. */
export function toldInTheEnd(deliveries: readonly DemoDelivery[]): {
  readonly isWhole: boolean;
  readonly text: string;
} {
  const chain = deliveries.map(({ sequence }) => sequence);
  const isChained = deliveries.every(({ previousSequence }, at) => previousSequence === (chain[at - 1] ?? null));
  const isWhole = deliveries.length === CAUSED && isChained && deliveries.every(({ verified }) => verified);
  if (!isWhole)
    return {
      isWhole,
      text: `${deliveries.length} of ${CAUSED} messages arrived as expected: \`counterfoil webhooks deliveries\` lists them all.`,
    };
  const back = chain.toReversed().join(' → ');
  return {
    isWhole,
    text: `${CAUSED} messages arrived, all signed. \`previousSequence\` leads from the last message back to the first: ${back}.`,
  };
}

/** Authorized, settled, refunded. */
const CAUSED = 3;
