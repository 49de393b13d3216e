// The sandbox processor on its own file: a stateful stand-in for an acquirer, in the box and offline.

import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { parseTime, type World } from '../../world.ts';
import type { LookUp, OperationRequest, Outcome, Processor, TokenizationRequest, Tokenized } from '../processor.ts';
import { cardOfNumber, type Fault, type Scenario, scenarios } from './cards.ts';
import { deliverUntil } from './delivery.ts';
import { type Entry, outcomeAt, resultAt } from './entry.ts';
import { FaultPlan, FaultReport, problemsIn } from './fault-plan.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { tokenOf } from './names.ts';
import { read, readSigned } from './notification.ts';
import { type FaultsSet, type LedgerLine, type LedgerPage, SANDBOX, type Sandbox, type Undelivered } from './sandbox-interface.ts';

export type { LedgerLine, LedgerPage, Sandbox } from './sandbox-interface.ts';

export interface SandboxOptions {
  /** Path of its own SQLite file, which several processes may open; 'memory' for a process on a simulated clock. */
  readonly file: string;
  readonly world: World;
  /** Of the notifications' signatures, 32 bytes each: the first signs, all verify (rotation). `Secrets.keys('sandbox-signature')`. */
  readonly secrets: readonly Buffer[];
  readonly report: (fault: unknown) => void;
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
    await this.#ledger.submit({ kind: 'keep_card', token, accountId, card: row.id });
    return { kind: 'token', processorToken: token };
  }

  async perform(request: OperationRequest, signal: AbortSignal): Promise<Outcome> {
    if (signal.aborted) return { kind: 'not_sent', detail: 'the deadline had passed before it was sent' };
    const late: Outcome = { kind: 'unknown', detail: 'no answer before the deadline' };
    return unlessAborted(
      signal,
      late,
      this.#performed(request).catch((fault) => this.#lost(fault)),
    );
  }

  async lookUp(reference: string, signal: AbortSignal): Promise<LookUp> {
    if (signal.aborted) return { kind: 'unknown', detail: 'the deadline had passed before it was asked' };
    try {
      const entry = await this.#ledger.entryOf(reference);
      return entry === undefined ? { kind: 'not_found' } : outcomeAt(entry, this.#options.world.now());
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
    const { world, report } = this.#options;
    return deliverUntil(signal, publicUrl, { ledger: this.#ledger, world, report, secret: this.#secret });
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

  async #performed(request: OperationRequest): Promise<Outcome> {
    const { world } = this.#options;
    const reply = await this.#ledger.submit({ kind: 'perform', request, now: world.now() });
    if (reply.kind === 'lost') return struckBy(reply.fault);
    if (reply.kind !== 'performed') throw new TypeError(`the ledger answered ${reply.kind} to perform`);
    return reply.fault === undefined ? outcomeAt(reply.entry, world.now()) : struckBy(reply.fault);
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

/** What a call comes to that a card's fault strikes; an answer that never comes ends with the caller's deadline. */
function struckBy({ phase, fault }: Fault): Outcome | Promise<Outcome> {
  if (phase === 'before_send') return { kind: 'not_sent', detail: 'connection refused' };
  return fault === 'hang' ? new Promise(() => undefined) : { kind: 'unknown', detail: `answered with status ${fault}` };
}

/** The work's result, or `late` as soon as the signal aborts; the work itself goes on. */
function unlessAborted<T>(signal: AbortSignal, late: T, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(late);
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
