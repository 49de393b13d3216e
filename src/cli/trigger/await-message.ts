// Waits for the message that a chain has caused, as a receiver that catches up would: by GET /events.
import { z } from 'zod';
import type { MessageType } from '../../domain/payment/message.ts';
import { Refused } from '../exit.ts';
import type { ChainParts } from './chains.ts';

const History = z.looseObject({ data: z.array(z.looseObject({ id: z.string(), type: z.string() })) });
const Message = z.looseObject({
  eventId: z.string(),
  eventType: z.string(),
  sequence: z.number(),
  payment: z.looseObject({ id: z.string(), status: z.string() }),
});
export type CausedMessage = z.infer<typeof Message>;
const Messages = z.looseObject({ data: z.array(Message) });

const LOOK_EVERY_MS = 100;
const WITHIN_MS = 60_000;
/** GET /events knows the authorization moments after it has happened, and refuses it until then. */
const UNKNOWN_YET = 400;

/** The newest of the payment's messages of this type once it is there. Throws Refused after a minute. */
export async function awaitMessage(parts: ChainParts, paymentId: string, type: MessageType): Promise<CausedMessage> {
  const { client, apiKey, world } = parts;
  const credential = ['X-Api-Key', apiKey] as const;
  const read = (path: string) => client.look({ method: 'GET', path, credential, mayBe: UNKNOWN_YET }, () => false);
  const { data: history } = History.parse((await read(`/payments/${paymentId}/events`)).body);
  // Every chain begins with a message that is not the wanted one: the payment was authorized.
  let after = history.find(({ type: fact }) => fact === 'PaymentAuthorized')?.id;
  const deadline = world.monotonic() + WITHIN_MS;
  while (after !== undefined && world.monotonic() < deadline) {
    const { status, body } = await read(`/events?limit=100&after=${after}`);
    const messages: readonly CausedMessage[] = status === UNKNOWN_YET ? [] : Messages.parse(body).data;
    const found = messages.find(({ eventType, payment }) => eventType === type && payment.id === paymentId);
    if (found !== undefined) return found;
    after = messages.at(-1)?.eventId ?? after;
    if (messages.length === 0) await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }
  throw new Refused(`The payment ${paymentId} sent no ${type} within ${WITHIN_MS / 1_000} s.`);
}

const Recorded = z.looseObject({ treeSize: z.number(), root: z.string(), madeAt: z.string() });
export type RecordedCheckpoint = z.infer<typeof Recorded>;
const Checkpoints = z.looseObject({ data: z.array(Recorded) });

/** The newest checkpoint once GET /audit/checkpoints lists one of so many events. Throws Refused after a minute. */
export async function newestCheckpoint(
  { client, apiKey, world }: ChainParts,
  events: number,
): Promise<RecordedCheckpoint> {
  const deadline = world.monotonic() + WITHIN_MS;
  const asked = { method: 'GET', path: '/audit/checkpoints?limit=1', credential: ['X-Api-Key', apiKey] } as const;
  while (world.monotonic() < deadline) {
    const [newest] = Checkpoints.parse((await client.look(asked, () => false)).body).data;
    if (newest !== undefined && newest.treeSize >= events) return newest;
    await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }
  throw new Refused(`The service did not list the checkpoint within ${WITHIN_MS / 1_000} s.`);
}
