// The work of counterfoil trigger, on a running service in test mode: the chain of objects that a type of message comes
// of, which is the calls of a shop and its customer and rules of the sandbox; and the message, as a receiver that
// catches up finds it.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { readConfig } from '../../config.ts';
import { CHECKPOINTS_ID } from '../../domain/checkpoint.ts';
import type { MessageType } from '../../domain/message.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { CHECKPOINT_TYPE } from '../../domain/webhook-endpoint.ts';
import type { Collection, ReadModels } from '../../stores/read-models.ts';
import { liveWorld, newId, type World } from '../../world.ts';
import { knowingService } from '../addresses.ts';
import { commandLine } from '../as-typed.ts';
import type { GivenValues } from '../command.ts';
import { Refused } from '../exit.ts';
import { whichAccount } from '../named.ts';
import type { Opened } from '../open/open.ts';
import { type CommandResult, tell } from '../output.ts';
import type { trigger as rows } from '../rows/trial.ts';
import { list } from '../table.ts';
import { APPROVED, authorize, type DemoExchange, Payment, ShopCalls } from './calls.ts';
import { serviceThatRuns } from './service-for-demo.ts';

const HOUR_MS = 3_600_000;

export async function trigger(given: GivenValues<typeof rows.trigger>): Promise<CommandResult> {
  const { event: type } = given;
  const config = await knowingService(readConfig(given, process.env), given);
  let inTurn: InTurn = (work) => work();
  let madeSize = 0;
  const key = { scopes: SCOPES, lifeMs: HOUR_MS };
  const service = await serviceThatRuns(config, given.url, key, async (opened) => {
    const accountId = await whichAccount(opened, given);
    inTurn = inTurnFor(opened.service.readModels, liveWorld, accountId);
    if (type === CHECKPOINT_TYPE) madeSize = await recordCheckpoint(opened);
    return accountId;
  });
  const made: object[] = [];
  const each = ({ method, path, status, ms }: DemoExchange): void => {
    made.push({ method, path, status, ms });
    if (given.json !== true) tell(`${`${method} ${shortened(path)}`.padEnd(66)} ${status} ${`${ms} ms`.padStart(7)}`);
  };
  try {
    const parts = { calls: new ShopCalls(service.url, service.key, liveWorld, each), world: liveWorld, inTurn };
    if (type === CHECKPOINT_TYPE) {
      const checkpoint = await newestCheckpoint(parts, madeSize);
      return { json: { eventType: type, checkpoint, calls: made }, text: checkpointAsText(checkpoint) };
    }
    const caused = await CHAINS[type](parts);
    const { eventId, sequence, payment, agreement } = await awaitMessage(parts, caused, type);
    const about = agreement === undefined ? { paymentId: caused.paymentId } : { agreementId: agreement.id };
    const message = { eventId, eventType: type, ...about, sequence, status: (agreement ?? payment)?.status ?? '' };
    return { json: { ...message, calls: made }, text: asText(message) };
  } finally {
    await service.end();
  }
}

/**
 * What the service does each hour, now; answers how many events the newest checkpoint covers. A log without new events
 * has its checkpoint already.
 */
async function recordCheckpoint({ service }: Opened): Promise<number> {
  await service.work.makeCheckpoint(0, 'trigger', new AbortController().signal);
  const { state } = await service.streams.checkpoints.current(CHECKPOINTS_ID);
  return state.status === 'made' ? state.newest.treeSize : 0;
}

const checkpointAsText = ({ treeSize, root, madeAt }: RecordedCheckpoint): string =>
  list([
    ['message', `${CHECKPOINT_TYPE}, to endpoints that name the type`],
    ['signed at', madeAt],
    ['events', String(treeSize)],
    ['root', root],
  ]);

/** Ids of payments, agreements and disputes by their ends: a line of 80 columns has room for two. */
const shortened = (path: string): string => path.replace(/(pay|agr|dsp|disp|dp)_\w+(\w{6})/g, '$1_…$2');

const asText = (
  message: { readonly [name in 'eventId' | 'eventType' | 'status']: string } & {
    readonly sequence: number;
  } & ({ readonly paymentId: string } | { readonly agreementId: string }),
) =>
  list([
    ['message', message.eventType],
    ['event', message.eventId],
    'paymentId' in message ? ['payment', message.paymentId] : ['agreement', message.agreementId],
    ['status', message.status],
    ['sequence', String(message.sequence)],
    'paymentId' in message
      ? ['its history', commandLine(`payments show ${message.paymentId}`)]
      : ['its periods', commandLine(`agreements show ${message.agreementId}`)],
  ]);

/** A guarded document: of two that write the same revision, one is told that it was written. No holder: it is free. */
const turns: Collection<{ readonly holder: string }, never> = { name: 'rule-turns', version: 1, keys: {}, indexes: [] };

const LOOK_EVERY_MS = 100;
/** A holder needs a second or two; one that was killed is waited for so long. */
const DEAD_MS = 15_000;

/**
 * One `trigger` at a time changes the sandbox's rules of an account: a plan is replaced as a whole, and two would take
 * each other's rule away. Throws StoreUnavailable.
 */
const inTurnFor =
  (readModels: Pick<ReadModels, 'get' | 'write'>, world: World, accountId: string): InTurn =>
  async (work) => {
    const holder = newId(world, 'turn');
    const write = async (revision: number, by: string): Promise<boolean> =>
      (await readModels.write(turns, [{ id: accountId, revision, doc: { holder: by } }])).length > 0;
    let seen = { revision: -2, since: world.monotonic() };
    for (;;) {
      const [row] = await readModels.get(turns, [accountId]);
      const revision = row?.revision ?? -1;
      if (seen.revision !== revision) seen = { revision, since: world.monotonic() };
      const isFree = row === undefined || row.doc.holder === '' || world.monotonic() - seen.since > DEAD_MS;
      if (isFree && (await write(revision + 1, holder))) {
        try {
          return await work();
        } finally {
          await write(revision + 2, '');
        }
      }
      await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
    }
  };

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** The way to a service, and the key of the shop. */
interface ChainParts {
  readonly calls: ShopCalls;
  readonly world: World;
  /** Of changes of the sandbox's rules. */
  readonly inTurn: InTurn;
}

/** What a chain made; the message is about the agreement, if there is one. */
interface Caused {
  readonly paymentId: string;
  readonly agreementId?: string;
}
/** Throws Refused and Unavailable. */
type Chain = (parts: ChainParts) => Promise<Caused>;
/** A chain that ends in a payment, whose id it answers. */
const ofPayment =
  (chain: (parts: ChainParts) => Promise<string>): Chain =>
  async (parts) => ({ paymentId: await chain(parts) });

const CAPTURE_REFUSED_LATER = '4000009900003057';
const REFUND_REFUSED = '4000009900004014';
const DISPUTED = '4000000000000259';
const EXPIRED_LATER = '4000009900005052';

/** 422: refused by the processor, or never there; that is what some of the chains are about. */
const REFUSED = 422;
/** Minor units. */
const PART = 2_500;

const CHAINS: { readonly [T in MessageType]: Chain } = {
  'PAYMENT.STATUS': ofPayment((parts) => captured(parts, APPROVED)),
  'PAYMENT.REFUND': ofPayment(async (parts) => {
    const id = await captured(parts, APPROVED);
    await change(parts, id, 'refund', { amount: PART });
    return id;
  }),
  'PAYMENT.CAPTURE.FAILED': ofPayment((parts) => captured(parts, CAPTURE_REFUSED_LATER)),
  'PAYMENT.REFUND.FAILED': ofPayment(async (parts) => {
    const id = await captured(parts, REFUND_REFUSED);
    await change(parts, id, 'refund', { amount: PART }, REFUSED);
    return id;
  }),
  'PAYMENT.CANCELLATION.FAILED': ofPayment(async (parts) => {
    const id = await authorized(parts, APPROVED);
    await withRule(parts, 'cancellation', () => change(parts, id, 'cancel', {}, REFUSED));
    return id;
  }),
  'PAYMENT.ADJUSTMENT.FAILED': ofPayment(async (parts) => {
    const id = await authorized(parts, APPROVED, { paymentMethod: { authorizationType: 'ESTIMATED' } });
    await withRule(parts, 'adjustment', () => change(parts, id, 'adjust-authorization', { amount: PART }, REFUSED));
    return id;
  }),
  'DISPUTE.OPENED': ofPayment((parts) => captured(parts, DISPUTED)),
  'DISPUTE.STATUS': ofPayment(async (parts) => {
    const id = await captured(parts, DISPUTED);
    await change(parts, id, `disputes/${await openDispute(parts, id)}/accept`, {});
    return id;
  }),
  'AGREEMENT.STATUS': (parts) => agreed(parts, APPROVED),
  'AGREEMENT.ACTION_REQUIRED': (parts) => chargedOnce(parts, EXPIRED_LATER),
  'AGREEMENT.CHARGE': (parts) => chargedOnce(parts, APPROVED),
};

/** SHA-256 of the empty text. */
const NO_TEXT = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** An agreement, from a payment that saved its card. */
async function agreed(parts: ChainParts, card: string): Promise<Required<Caused>> {
  const { calls, world } = parts;
  const saved = { vaultOnSuccess: true, paymentType: 'FIRST_PAYMENT' };
  const paymentId = await authorized(parts, card, { customerId: newId(world, 'customer'), paymentMethod: saved });
  const { body } = await calls.call('POST', '/agreements', {
    paymentId,
    kind: 'UNSCHEDULED',
    terms: { amountRule: 'VARIABLE', currencyCode: 'EUR', description: 'Top-ups' },
    consent: { acceptedAt: AGREED_AT, channel: 'ONLINE', textDigest: NO_TEXT },
  });
  return { paymentId, agreementId: Made.parse(body).id };
}

/** Before every payment of a trigger. */
const AGREED_AT = '2026-01-01T00:00:00Z';
const Made = z.looseObject({ id: z.string() });

async function chargedOnce(parts: ChainParts, card: string): Promise<Required<Caused>> {
  const made = await agreed(parts, card);
  const charge = { periodKey: '1', orderId: `${made.paymentId}-1`, amount: PART };
  await parts.calls.call('POST', `/agreements/${made.agreementId}/charges`, charge);
  return made;
}

async function authorized({ calls, world }: ChainParts, card: string, fields: object = {}): Promise<string> {
  const { body } = await authorize(calls, card, world, fields);
  return Payment.parse(body).id;
}

async function captured(parts: ChainParts, card: string): Promise<string> {
  const id = await authorized(parts, card);
  await change(parts, id, 'capture', {});
  return id;
}

async function change({ calls }: ChainParts, id: string, what: string, body: object, mayBe?: number): Promise<void> {
  await calls.call('POST', `/payments/${id}/${what}`, body, mayBe === undefined ? {} : { mayBe });
}

const Disputed = z.looseObject({ disputes: z.array(z.looseObject({ id: z.string() })).default([]) });

const openDispute = ({ calls }: ChainParts, id: string): Promise<string> =>
  calls.until(`/payments/${id}`, (answer) => Disputed.parse(answer).disputes[0]?.id, {
    withinMs: 30_000,
    words: 'No dispute was opened',
  });

const Plan = z.looseObject({ seed: z.number(), rules: z.array(z.unknown()).default([]) });

/**
 * The account's own rules come after this one; at the end it alone is taken out, whatever a person has changed
 * meanwhile.
 */
const withRule = (
  { calls, inTurn }: ChainParts,
  operation: 'cancellation' | 'adjustment',
  work: () => Promise<void>,
): Promise<void> =>
  inTurn(async () => {
    const path = '/sandbox/faults';
    const own = { match: { operation }, do: { phase: 'before_send', fault: 'reset', times: 1 } };
    const replace = async (changed: (rules: readonly unknown[]) => readonly unknown[]): Promise<void> => {
      const { seed, rules } = Plan.parse((await calls.read(path)).body);
      await calls.call('PUT', path, { seed, rules: changed(rules) });
    };
    await replace((rules) => [own, ...rules]);
    try {
      await work();
    } finally {
      await replace((rules) => {
        const place = rules.findIndex((rule) => isDeepStrictEqual(rule, own));
        return rules.filter((_, at) => at !== place);
      });
    }
  });

const History = z.looseObject({ data: z.array(z.looseObject({ id: z.string(), type: z.string() })) });
const Subject = z.looseObject({ id: z.string(), status: z.string() });
const Message = z.looseObject({
  eventId: z.string(),
  eventType: z.string(),
  sequence: z.number(),
  payment: Subject.optional(),
  agreement: Subject.optional(),
});
type CausedMessage = z.infer<typeof Message>;
const Messages = z.looseObject({ data: z.array(Message) });

const WITHIN_MS = 60_000;
/** GET /events knows the authorization moments after it has happened, and refuses it until then. */
const UNKNOWN_YET = 400;

/** The newest message of this type about what was made, once it is there. Throws Refused after a minute. */
async function awaitMessage(
  { calls, world }: ChainParts,
  { paymentId, agreementId }: Caused,
  type: MessageType,
): Promise<CausedMessage> {
  const read = (path: string) => calls.read(path, { mayBe: UNKNOWN_YET });
  const { data: history } = History.parse((await read(`/payments/${paymentId}/events`)).body);
  // Every chain begins with a message that is not the wanted one: the payment was authorized.
  let after = history.find(({ type: fact }) => fact === 'PaymentAuthorized')?.id;
  const deadline = world.monotonic() + WITHIN_MS;
  while (after !== undefined && world.monotonic() < deadline) {
    const { status, body } = await read(`/events?limit=100&after=${after}`);
    const messages: readonly CausedMessage[] = status === UNKNOWN_YET ? [] : Messages.parse(body).data;
    const id = agreementId ?? paymentId;
    const found = messages.find(
      ({ eventType, payment, agreement }) => eventType === type && (agreement ?? payment)?.id === id,
    );
    if (found !== undefined) return found;
    after = messages.at(-1)?.eventId ?? after;
    if (messages.length === 0) await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }
  throw new Refused(
    `${agreementId === undefined ? `The payment ${paymentId}` : `The agreement ${agreementId}`} sent no ${type} within ${WITHIN_MS / 1_000} s.`,
  );
}

const Recorded = z.looseObject({ treeSize: z.number(), root: z.string(), madeAt: z.string() });
type RecordedCheckpoint = z.infer<typeof Recorded>;
const Checkpoints = z.looseObject({ data: z.array(Recorded) });

/** The newest checkpoint once GET /audit/checkpoints lists one of so many events. Throws Refused after a minute. */
const newestCheckpoint = ({ calls }: ChainParts, events: number): Promise<RecordedCheckpoint> =>
  calls.until(
    '/audit/checkpoints?limit=1',
    (answer) => Checkpoints.parse(answer).data.find(({ treeSize }) => treeSize >= events),
    { withinMs: WITHIN_MS, words: 'The service did not list the checkpoint', isShown: false },
  );
