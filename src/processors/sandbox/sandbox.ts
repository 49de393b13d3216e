// The sandbox processor on its own file: a stateful stand-in for an acquirer, in the box and offline.

import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { parseTime, type World } from '../../world.ts';
import type { LookUp, OperationRequest, Outcome, Processor, TokenizationRequest, Tokenized, Unknown } from '../processor.ts';
import { Alarm } from './alarm.ts';
import type { Fault } from './card.ts';
import { cardOfNumber, type Scenario, scenarios } from './cards.ts';
import { deliverUntil, LOOK_EVERY_MS } from './delivery.ts';
import { type Entry, isHidden, outcomeAt, resultAt } from './entry.ts';
import { isBefore } from './fault-choice.ts';
import { FaultPlan, FaultReport, problemsIn } from './fault-plan.ts';
import { learntFrom } from './learning.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { tokenOf } from './names.ts';
import { read, readSigned } from './notification.ts';
import { newWay, performed, takeTime } from './performing.ts';
import { type FaultsSet, type LedgerLine, type LedgerPage, SANDBOX, type Sandbox, type Undelivered } from './sandbox-interface.ts';

export type { LedgerLine, LedgerPage, Sandbox } from './sandbox-interface.ts';

export interface SandboxOptions {
  /** Path of its own SQLite file, which several processes may open; 'memory' for a process on a simulated clock. */
  readonly file: string;
  readonly world: World;
  /** Of the notifications' signatures, 32 bytes each: the first signs, all verify (rotation). `Secrets.keys('sandbox-signature')`. */
  readonly secrets: readonly Buffer[];
  readonly report: (fault: unknown) => void;
  /**
   * How often `run` looks for what other processes announced, and for a clock that was set forward, ms; 1 s by default. What this
   * process announces is sent when it is due however rarely it looks.
   */
  readonly lookEveryMs?: number;
}

/** Throws what SQLite throws when the file cannot be opened; StoreUnavailable when another process keeps it locked. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const [secret] = options.secrets;
  if (secret === undefined) throw new TypeError('the sandbox needs a secret to sign with');
  return new FileSandbox(await openLedger(options), secret, options);
}

const REFUSED_NUMBER = 'The sandbox takes only its test cards; GET /sandbox/scenarios lists them.';

class FileSandbox implements Sandbox {
  readonly name = SANDBOX.name;
  readonly consistencyWindowMs = SANDBOX.consistencyWindowMs;
  readonly faultPlan = FaultPlan;
  readonly faultReport = FaultReport;
  readonly #ledger: Ledger;
  readonly #secret: Buffer;
  readonly #options: SandboxOptions;
  readonly #alarm = new Alarm();

  constructor(ledger: Ledger, secret: Buffer, options: SandboxOptions) {
    this.#ledger = ledger;
    this.#secret = secret;
    this.#options = options;
  }

  async tokenize({ reference, accountId, card }: TokenizationRequest, signal: AbortSignal): Promise<Tokenized> {
    signal.throwIfAborted();
    const row = cardOfNumber(card.number);
    if (row === undefined) return { kind: 'refused', description: REFUSED_NUMBER };
    const expiresAt = endOf(card.expirationMonth, card.expirationYear);
    if (expiresAt === undefined) return { kind: 'refused', description: 'The expiry is not a month and a year.' };
    if (expiresAt <= this.#options.world.now()) return { kind: 'refused', description: 'The card has expired.' };
    const token = tokenOf(accountId, reference);
    const keep = { kind: 'keep_card', token, accountId, card: row.id } as const;
    const kept = await this.#ledger.submit(keep);
    const fault = kept.kind === 'done' ? kept.fault : undefined;
    if (fault !== undefined) {
      await unlessAborted(signal, () => undefined, takeTime(this.#options.world, fault));
      if (signal.aborted || !leavesToken(fault)) throw tokenLost(fault);
      if (isBefore(fault)) await this.#ledger.submit({ ...keep, struck: { fault, manner: {} } });
    }
    return { kind: 'token', processorToken: token };
  }

  async perform(request: OperationRequest, signal: AbortSignal): Promise<Outcome> {
    if (signal.aborted) return { kind: 'not_sent', detail: 'the deadline had passed before it was sent' };
    const way = newWay();
    const sender = { ledger: this.#ledger, world: this.#options.world, alarm: this.#alarm };
    return unlessAborted(
      signal,
      () => way.late,
      performed(request, sender, signal, way).catch((fault) => this.#lost(fault)),
    );
  }

  async lookUp(reference: string, signal: AbortSignal): Promise<LookUp> {
    if (signal.aborted) return { kind: 'unknown', detail: 'the deadline had passed before it was asked' };
    try {
      const entry = await this.#ledger.entryOf(reference);
      if (entry === undefined) return { kind: 'not_found' };
      const fault = (await this.#ledger.mayStrikeLookUps(entry.accountId)) ? await this.#faultOfLookUp(entry) : undefined;
      if (fault === undefined) return this.#found(entry);
      return await unlessAborted(
        signal,
        () => LATE_LOOK_UP,
        takeTime(this.#options.world, fault).then(() => asLookUp(learntFrom(fault, this.#found(entry)))),
      );
    } catch (fault) {
      this.#options.report(fault);
      return { kind: 'unknown', detail: 'the sandbox is away' };
    }
  }

  readNotification(...[raw, headers, now]: Parameters<Processor['readNotification']>): ReturnType<Processor['readNotification']> {
    return readSigned(this.#options.secrets, raw, headers, now);
  }

  rereadNotification(raw: string): ReturnType<Processor['rereadNotification']> {
    return read(raw);
  }

  async connect({ accountId, apiKey }: { readonly accountId: string; readonly apiKey: string }): Promise<void> {
    await this.#ledger.submit({ kind: 'connect', accountId, apiKey });
  }

  connected(): Promise<readonly string[]> {
    return this.#ledger.connectedAccounts();
  }

  run(publicUrl: string, signal: AbortSignal): Promise<void> {
    const { world, report, lookEveryMs = LOOK_EVERY_MS } = this.#options;
    const { alarm, ledger, secret } = { alarm: this.#alarm, ledger: this.#ledger, secret: this.#secret };
    return deliverUntil(signal, publicUrl, { ledger, world, report, secret, alarm, lookEveryMs });
  }

  async ledger(): Promise<readonly LedgerLine[]> {
    const now = this.#options.world.now();
    const lines: LedgerLine[] = [];
    for await (const entry of this.#ledger.entries()) lines.push(lineOf(entry, now));
    return lines;
  }

  async ledgerOf(accountId: string | undefined, limit: number, after = 0): Promise<LedgerPage> {
    const rows = await this.#ledger.page(accountId, after, limit + 1); // one more tells whether there is a next page
    const now = this.#options.world.now();
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const lines = page.map(({ entry }) => lineOf(entry, now));
    return { lines, ...(rows.length > limit && last !== undefined && { next: last.sequence }) };
  }

  async linesOf(references: readonly string[]): Promise<readonly LedgerLine[]> {
    const entries = await this.#ledger.entriesOf(references);
    const now = this.#options.world.now();
    return entries.map((entry) => lineOf(entry, now));
  }

  faults(accountId: string): Promise<FaultReport> {
    return this.#ledger.faultsOf(accountId);
  }

  async setFaults(accountId: string, sent: unknown): Promise<FaultsSet> {
    const plan = FaultPlan.safeParse(sent);
    if (!plan.success) return { kind: 'invalid', problems: problemsIn(plan.error) };
    await this.#ledger.submit({ kind: 'set_faults', accountId, plan: plan.data });
    return { kind: 'set', report: await this.#ledger.faultsOf(accountId) };
  }

  async reset(accountId?: string): Promise<void> {
    await this.#ledger.submit({ kind: 'reset', accountId });
  }

  undelivered(accountId?: string): Promise<Undelivered> {
    return this.#ledger.undelivered(accountId);
  }

  scenarios(): readonly Scenario[] {
    return scenarios();
  }

  close(): Promise<void> {
    return this.#ledger.close();
  }

  #found(entry: Entry): LookUp {
    const now = this.#options.world.now();
    return isHidden(entry, now) ? { kind: 'not_found' } : outcomeAt(entry, now);
  }

  async #faultOfLookUp(entry: Entry): Promise<Fault | undefined> {
    const reply = await this.#ledger.submit({ kind: 'look_up', entry });
    return reply.kind === 'done' ? reply.fault : undefined;
  }

  /** What a fault of the sandbox itself leaves the caller knowing. */
  #lost(fault: unknown): Outcome {
    this.#options.report(fault);
    return fault instanceof StoreUnavailable && !fault.outcomeUnknown
      ? { kind: 'not_sent', detail: 'the sandbox is away' }
      : { kind: 'unknown', detail: 'the sandbox failed while answering' };
  }
}

const lineOf = (entry: Entry, now: number): LedgerLine => {
  const { reference, paymentId, operation, amount, currencyCode, at } = entry;
  return { reference, paymentId, operation, amount, currencyCode, outcome: resultAt(entry, now), at };
};

const LATE_LOOK_UP: LookUp = { kind: 'unknown', detail: 'no answer before the deadline' };

/** A question that was not sent is one that was not answered. */
const asLookUp = (learnt: LookUp | { readonly kind: 'not_sent'; readonly detail: string }): LookUp =>
  learnt.kind === 'not_sent' ? { kind: 'unknown', detail: learnt.detail } : learnt;

/** Whether the caller has its token in spite of a fault: a token has no amount and no currency that could be wrong. */
const leavesToken = ({ fault, phase }: Fault): boolean =>
  phase === 'after_reply' || fault === 'slow' || fault === 'wrong_amount' || fault === 'wrong_currency';

const tokenLost = (fault: Fault): StoreUnavailable => {
  const learnt = learntFrom<Unknown>(fault, undefined);
  return new StoreUnavailable(`The sandbox cannot be used: ${learnt.detail}`, { outcomeUnknown: learnt.kind === 'unknown' });
};

/** The work's result, or `late` as soon as the signal aborts; the work itself goes on. */
function unlessAborted<T>(signal: AbortSignal, late: () => T, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(late());
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** The first moment (ms) at which a card is no longer valid; the year has two digits or four. */
function endOf(month: string, year: string): number | undefined {
  if (!/^(0?[1-9]|1[0-2])$/.test(month) || !/^(\d{2}|20\d{2})$/.test(year)) return undefined;
  const months = Number(year.slice(-2)) * 12 + Number(month);
  const [nextYear, nextMonth] = [2_000 + Math.floor(months / 12), (months % 12) + 1];
  return parseTime(`${nextYear}-${String(nextMonth).padStart(2, '0')}-01T00:00:00Z`);
}
