// The demo of outcomes that are unknown at first: a lost answer although money moved, and an attempt that is not found
// at first.
import { z } from 'zod';
import type { World } from '../../world.ts';
import { Refused } from '../exit.ts';
import { tell } from '../output.ts';
import { authorize, captureAndRefund, type Ended, Payment } from './checkout.ts';
import type { Client } from './exchange.ts';
import { type Compared, compareWithLedger } from './ledger.ts';

/** The call times out, and the money moved. */
const LOST_ANSWER = '4000009900001044';
/** A card with the same behaviour, but for 60 s a look-up reports "not found". */
const FOUND_LATER = '4000009900001069';

const History = z.object({
  data: z.array(z.object({ type: z.string(), data: z.object({ answer: z.string().optional() }) })),
});

/** The service that the demo calls, and the way to have its outcomes sooner. */
export interface Stage {
  readonly client: Client;
  readonly apiKey: string;
  readonly world: World;
  /** How long the service waits for a processor's answer, ms. */
  readonly answerWithinMs: number;
  /** Moves the service's business clock, where the clock belongs to the demo alone; otherwise the demo waits. */
  readonly skip: ((ms: number) => Promise<void>) | undefined;
}

export type DemoStory = Ended & { readonly ledger: Compared };

/** Both stories, the one after the other. Throws Refused if an answer is not as it has to be. */
export async function unknownOutcomes(stage: Stage): Promise<readonly [DemoStory, DemoStory]> {
  tell('1. The processor charges the card, and its response is lost.');
  const first = await lostAnswer(stage, LOST_ANSWER);
  await letPass(
    stage,
    30,
    'The outcome is unknown, and the payment shows that. After the deadline of the call, the service asks the processor by its own reference.',
  );
  await untilKnown(stage, first, 120_000);
  const one = await toItsEnd(stage, first);

  tell('\n2. The same, but for 60 s the processor reports that it does not know the charge.');
  const second = await lostAnswer(stage, FOUND_LATER);
  await letPass(stage, 30, 'Again the service asks after the deadline of the call.');
  await untilNotFound(stage, second);
  tell(
    '"Not found" this early proves nothing: a service that accepted it could charge twice. The payment still shows an unknown outcome:',
  );
  const still = await stage.client.send(reading(stage, second));
  if (Payment.parse(still.body).status !== 'PENDING') throw new Refused(`${second} was resolved without evidence.`);
  await letPass(stage, 300, 'The service asks again 5 min after the request.');
  await untilKnown(stage, second, 420_000);
  return [one, await toItsEnd(stage, second)];
}

const reading = ({ apiKey }: Stage, id: string) =>
  ({ method: 'GET', path: `/payments/${id}`, credential: ['X-Api-Key', apiKey] }) as const;

async function lostAnswer({ client, apiKey, world, answerWithinMs }: Stage, card: string): Promise<string> {
  tell(`The processor will not respond: the service waits ${answerWithinMs / 1_000} s, then returns 202.`);
  const { status, body } = await authorize(client, apiKey, card, world);
  if (status !== 202) throw new Refused(`Expected 202 for the lost response, got ${status}.`);
  return Payment.parse(body).id;
}

/** `seconds` from the request on. */
async function letPass({ skip }: Stage, seconds: number, why: string): Promise<void> {
  if (skip === undefined) {
    tell(
      `${why} The demo waits; \`counterfoil sandbox clock advance ${seconds}s\` in another terminal shortens the wait.`,
    );
    return;
  }
  tell(`${why} (The demo moves the business clock of its own service by ${seconds} s, so there is no wait.)`);
  await skip(seconds * 1_000);
}

const LOOK_EVERY_MS = 250;

/** Reads until an answer says so; only that one is shown. Throws Refused if it takes longer than `withinMs`. */
async function until(
  { client, world }: Stage,
  request: Parameters<Client['look']>[0],
  isSo: (answer: unknown) => boolean,
  withinMs: number,
): Promise<void> {
  const deadline = world.monotonic() + withinMs;
  while (world.monotonic() < deadline) {
    const { body } = await client.look(request, isSo);
    if (isSo(body)) return;
    await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }
  throw new Refused(`${request.path} did not reach the expected status within ${withinMs / 1_000} s.`);
}

const untilKnown = (stage: Stage, id: string, withinMs: number): Promise<void> =>
  until(stage, reading(stage, id), (answer) => Payment.parse(answer).status !== 'PENDING', withinMs);

const untilNotFound = (stage: Stage, id: string): Promise<void> =>
  until(
    stage,
    { ...reading(stage, id), path: `/payments/${id}/events` },
    (answer) =>
      History.parse(answer).data.some(({ type, data }) => type === 'LookUpRecorded' && data.answer === 'not_found'),
    120_000,
  );

async function toItsEnd({ client, apiKey }: Stage, id: string): Promise<DemoStory> {
  tell('Resolved: the processor confirmed the outcome. The checkout continues as usual:');
  const ended = await captureAndRefund(client, apiKey, id);
  tell("And the processor's own books:");
  return { ...ended, ledger: await compareWithLedger(client, apiKey, ended) };
}
