// The sandbox processor on its own file: a stateful stand-in for an acquirer, in the box and offline.
import type { DisputeStatus } from '../../domain/dispute-status.ts';
import { Alarm, type World } from '../../world.ts';
import { cardDataOf } from '../card-data.ts';
import { hasTaken } from './acquirer.ts';
import { anySandbox, inBook } from './any-sandbox.ts';
import { type ChallengePage, challengePageAt } from './authentication.ts';
import { cardOfId, takesMoneyAtOnce } from './cards.ts';
import { deliverUntil, LOOK_EVERY_MS } from './delivering.ts';
import { disputeStatusAt } from './disputes.ts';
import { type Entry, isWaiting, resultAt } from './entry.ts';
import type { FaultReport } from './fault-plan.ts';
import { openLedger } from './ledger/ledger.ts';
import type { LedgerEntry } from './ledger/ledger-tables.ts';
import { challengeIdOf, isByHand } from './names.ts';
import { disputeAnswered, disputeFound, fenced, lookedUp, performed, type Sender, standingRead } from './performing.ts';
import type { Challenge, LedgerLine, Sandbox } from './sandbox-interface.ts';
import { tokenized } from './tokenizing.ts';

interface SandboxOptions {
  /** Path of its own SQLite file, which several processes may open; 'memory' for a process on a simulated clock. */
  readonly file: string;
  readonly world: World;
  /**
   * The secrets of the notifications' signatures, 32 bytes each: the first signs, all verify (rotation).
   * `Secrets.keys('sandbox-signature')`.
   */
  readonly secrets: readonly Buffer[];
  readonly report: (fault: unknown) => void;
  /**
   * How often `run` looks for announcements of other processes, and for a clock that was set forward, ms; 1 s by
   * default. Announcements of this process are sent when they are due, however rarely it looks.
   */
  readonly lookEveryMs?: number;
  /** Under which browsers reach the service, for the pages that customers are challenged on. */
  readonly publicUrl?: () => string;
}

/** Throws StoreUnavailable if the file cannot be opened, and when another process keeps it locked. */
export async function openSandbox({
  file,
  world,
  secrets,
  report,
  lookEveryMs = LOOK_EVERY_MS,
  publicUrl = nowhere,
}: SandboxOptions): Promise<Sandbox> {
  const [secret] = secrets;
  if (secret === undefined) throw new TypeError('the sandbox needs a secret to sign with');
  const ledger = await openLedger({ file, world, report });
  const challengePage = (reference: string): ChallengePage =>
    challengePageAt(challengeIdOf(secret, reference), publicUrl());
  const sender: Sender = { ledger, world, report, alarm: new Alarm(), challengePage };
  const faults = (accountId: string): Promise<FaultReport> => ledger.read((tables) => tables.faultsOf(accountId));
  return {
    ...anySandbox(secrets, async (accountId, plan) => {
      await ledger.write('setFaults', accountId, plan);
      return faults(accountId);
    }),
    tokenize: (request, call) => tokenized(inBook(request, call), sender, call.signal),
    perform: (request, call) => performed(inBook(request, call), sender, call.signal),
    lookUp: (request, call) => lookedUp(inBook(request, call), sender, call.signal),
    fence: (request, call) => fenced(inBook(request, call), sender, call.signal),
    async challenge(id) {
      const entry = await ledger.read((tables) => tables.challengedBy(id));
      return entry && challengeOf(entry);
    },
    async answerChallenge(id, isApproved) {
      const entry = await ledger.write('answerChallenge', id, isApproved, world.now());
      sender.alarm.ring();
      return entry && challengeOf(entry);
    },
    challengeOrigins: () => [new URL(publicUrl()).origin],
    dispute: (request, call) => disputeAnswered(inBook(request, call), sender, call.signal),
    lookUpDispute: (request, call) => disputeFound(inBook(request, call), sender, call.signal),
    standing: (question, call) => standingRead(inBook(question, call), sender, call.signal),
    async act({ accountId, paymentId, isSilent = false, ...act }) {
      const entry = await ledger.write('act', accountId, paymentId, act, isSilent, world.now());
      sender.alarm.ring();
      if (entry === undefined) return { kind: 'declined', code: 'TRANSACTION_UNKNOWN' };
      const { amount, currencyCode, declineCode: code = 'GENERIC_DECLINE' } = entry;
      return entry.result === 'declined' ? { kind: 'declined', code } : { kind: 'done', amount, currencyCode };
    },
    connect: ({ accountId, apiKey }) => ledger.write('connect', accountId, apiKey),
    connected: () => ledger.read((tables) => tables.connectedAccounts()),
    run: (url, signal) => deliverUntil(signal, url, { ...sender, secret, lookEveryMs }),
    async ledgerOf(accountId, limit, after = 0) {
      // one more shows whether there is a next page
      const rows = await ledger.read((tables) => tables.page(accountId, after, limit + 1));
      const lines = rows.slice(0, limit).flatMap(({ entry }) => lineIn(entry, world.now()) ?? []);
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return { lines, ...(last !== undefined && { next: last.sequence }) };
    },
    async linesOf(references) {
      const entries = await ledger.read((tables) => references.flatMap((reference) => tables.entryOf(reference) ?? []));
      return entries.flatMap((entry) => (entry.fenced === true ? [] : [lineOf(entry, world.now())]));
    },
    faults,
    reset: (accountId) => ledger.write('reset', accountId),
    undelivered: (accountId) => ledger.read((tables) => tables.undelivered(accountId, world.now())),
    close: () => ledger.close(),
  };
}

/** Undefined for a dispute that nobody has opened yet, and for an operation that was fenced before it arrived. */
function lineIn(entry: LedgerEntry, now: number): LedgerLine | undefined {
  if (entry.operation !== 'dispute') return entry.fenced === true ? undefined : lineOf(entry, now);
  const status = disputeStatusAt(entry, now);
  return status && { ...asked(entry), outcome: DISPUTE_OUTCOMES[status], at: entry.at };
}

/** What a line has of its entry, whatever became of it. */
function asked(entry: LedgerEntry) {
  const { reference, paymentId, operation, amount, currencyCode, transactionId: processorTransactionId } = entry;
  return { reference, paymentId, operation, amount, currencyCode, processorTransactionId };
}
const DISPUTE_OUTCOMES = {
  OPEN: 'open',
  CHALLENGED: 'challenged',
  ACCEPTED: 'accepted',
  EXPIRED: 'expired',
  WON: 'won',
  LOST: 'lost',
  PREVENTED: 'prevented',
} as const satisfies { readonly [S in DisputeStatus]: LedgerLine['outcome'] };

const nowhere = (): string => 'http://127.0.0.1:4000';

function challengeOf({ accountId, card, amount, currencyCode, challenge }: Entry): Challenge | undefined {
  if (challenge === undefined) return undefined;
  const { state, returnUrl } = challenge;
  // No number is kept; the cards that are challenged have one each.
  const { numbers = [], method } = cardOfId(card ?? '') ?? {};
  const last4Digits = numbers[0]?.slice(-4);
  return {
    accountId,
    ...(method !== undefined && { method }),
    ...(last4Digits !== undefined && { last4Digits }),
    amount,
    currencyCode,
    state,
    ...(returnUrl !== undefined && { returnUrl }),
  };
}

/** What a card's network saw of a charge without the customer; undefined for anything else. */
function networkOf({ card: id, absent, result, declineCode: code }: Entry): LedgerLine['network'] {
  const row = id === undefined ? undefined : cardOfId(id);
  if (absent === undefined || row === undefined || row.method !== undefined) return undefined;
  const names = new Set(row.numbers.map((number) => cardDataOf({ ...NOTHING_TYPED, number }).network));
  const [name] = names.size === 1 ? names : [];
  const { absent: declines, absentTold: { networkCode, networkAdviceCode } = {} } = row.on.authorization ?? {};
  const told = code === declines && {
    ...(networkCode !== undefined && { networkCode }),
    ...(networkAdviceCode !== undefined && { networkAdviceCode }),
  };
  const refusal = result === 'declined' && code !== undefined && { code, ...told };
  return { ...absent, card: row.id, ...(name !== undefined && { name }), ...refusal };
}
const NOTHING_TYPED = { expirationMonth: '', expirationYear: '', cvc: '' };

const lineOf = (entry: Entry, now: number): LedgerLine => {
  const outcome = isWaiting(entry) ? 'requires_action' : resultAt(entry, now);
  const isCapture = entry.operation === 'authorization' && outcome === 'succeeded' && takesMoneyAtOnce(entry.card);
  const capture = isCapture ? { capture: hasTaken(entry, now) ? ('succeeded' as const) : ('declined' as const) } : {};
  const byHand = isByHand(entry) && { byHand: true as const };
  const network = networkOf(entry);
  return { ...asked(entry), ...byHand, ...capture, ...(network && { network }), outcome, at: entry.at };
};
