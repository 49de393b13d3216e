// The sandbox processor on its own file: a stateful stand-in for an acquirer, in the box and offline.

import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { Alarm, type World } from '../../world.ts';
import type { Call, LookUp, OperationRequest, Outcome, TokenizationRequest, Tokenized } from '../processor.ts';
import { AnySandbox } from './any-sandbox.ts';
import { deliverUntil, LOOK_EVERY_MS } from './delivering.ts';
import { type Entry, resultAt } from './entry.ts';
import { type Ledger, openLedger } from './ledger/ledger.ts';
import { lookedUp } from './looking-up.ts';
import { newWay, performed, type Sender, unlessAborted } from './performing.ts';
import type { FaultPlan, FaultReport } from './rules/fault-plan.ts';
import type { LedgerLine, LedgerPage, Sandbox, Undelivered } from './sandbox-interface.ts';
import { tokenized } from './tokenizing.ts';

export type { LedgerLine, LedgerPage, Sandbox } from './sandbox-interface.ts';

export interface SandboxOptions {
  /** Path of its own SQLite file, which several processes may open; 'memory' for a process on a simulated clock. */
  readonly file: string;
  readonly world: World;
  /** Of the notifications' signatures, 32 bytes each: the first signs, all verify (rotation). `Secrets.keys('sandbox-signature')`. */
  readonly secrets: readonly Buffer[];
  readonly report: (fault: unknown) => void;
  /**
   * How often `run` looks for announcements of other processes, and for a clock that was set forward, ms; 1 s by default. Announcements of
   * this process are sent when they are due, however rarely it looks.
   */
  readonly lookEveryMs?: number;
}

/** Throws what SQLite throws when the file cannot be opened; StoreUnavailable when another process keeps it locked. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const [secret] = options.secrets;
  if (secret === undefined) throw new TypeError('the sandbox needs a secret to sign with');
  return new FileSandbox(await openLedger(options), secret, options);
}

class FileSandbox extends AnySandbox implements Sandbox {
  readonly #ledger: Ledger;
  readonly #secret: Buffer;
  readonly #options: SandboxOptions;
  readonly #sender: Sender;

  constructor(ledger: Ledger, secret: Buffer, options: SandboxOptions) {
    super(options.secrets);
    this.#ledger = ledger;
    this.#secret = secret;
    this.#options = options;
    this.#sender = { ledger, world: options.world, alarm: new Alarm() };
  }

  async tokenize(request: TokenizationRequest, { signal }: Call): Promise<Tokenized> {
    signal.throwIfAborted();
    return tokenized(request, this.#sender, signal);
  }

  async perform(request: OperationRequest, { signal }: Call): Promise<Outcome> {
    if (signal.aborted) return { kind: 'not_sent', detail: 'the deadline had passed before it was sent' };
    const way = newWay();
    return unlessAborted(
      signal,
      () => way.late,
      performed(request, this.#sender, signal, way).catch((fault) => this.#lost(fault)),
    );
  }

  async lookUp({ reference }: OperationRequest, { signal }: Call): Promise<LookUp> {
    if (signal.aborted) return { kind: 'unreachable', detail: 'the deadline had passed before it was asked' };
    return lookedUp(reference, this.#sender, signal).catch((fault): LookUp => {
      this.#options.report(fault);
      return { kind: 'unreachable', detail: 'the sandbox is unavailable' };
    });
  }

  async connect({ accountId, apiKey }: { readonly accountId: string; readonly apiKey: string }): Promise<void> {
    await this.#ledger.submit({ kind: 'connect', accountId, apiKey });
  }

  connected(): Promise<readonly string[]> {
    return this.#ledger.read((book) => book.connectedAccounts());
  }

  run(publicUrl: string, signal: AbortSignal): Promise<void> {
    const { report, lookEveryMs = LOOK_EVERY_MS } = this.#options;
    return deliverUntil(signal, publicUrl, { ...this.#sender, report, secret: this.#secret, lookEveryMs });
  }

  async ledgerOf(accountId: string | undefined, limit: number, after = 0): Promise<LedgerPage> {
    const rows = await this.#ledger.read((book) => book.page(accountId, after, limit + 1)); // one more tells whether there is a next page
    const now = this.#options.world.now();
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const lines = page.map(({ entry }) => lineOf(entry, now));
    return { lines, ...(rows.length > limit && last !== undefined && { next: last.sequence }) };
  }

  async linesOf(references: readonly string[]): Promise<readonly LedgerLine[]> {
    const entries = await this.#ledger.read((book) => references.flatMap((reference) => book.entryOf(reference) ?? []));
    const now = this.#options.world.now();
    return entries.map((entry) => lineOf(entry, now));
  }

  faults(accountId: string): Promise<FaultReport> {
    return this.#ledger.read((book) => book.faultsOf(accountId));
  }

  protected async keepPlan(accountId: string, plan: FaultPlan): Promise<FaultReport> {
    await this.#ledger.submit({ kind: 'set_faults', accountId, plan });
    return this.faults(accountId);
  }

  async reset(accountId?: string): Promise<void> {
    await this.#ledger.submit({ kind: 'reset', accountId });
  }

  undelivered(accountId?: string): Promise<Undelivered> {
    return this.#ledger.read((book) => book.undelivered(accountId, this.#options.world.now()));
  }

  close(): Promise<void> {
    return this.#ledger.close();
  }

  /** The caller's knowledge after a fault of the sandbox itself. */
  #lost(fault: unknown): Outcome {
    this.#options.report(fault);
    return fault instanceof StoreUnavailable && !fault.outcomeUnknown
      ? { kind: 'not_sent', detail: 'the sandbox is unavailable' }
      : { kind: 'unknown', detail: 'the sandbox failed while answering' };
  }
}

const lineOf = (entry: Entry, now: number): LedgerLine => {
  const { reference, paymentId, operation, amount, currencyCode, transactionId, at } = entry;
  return {
    reference,
    paymentId,
    operation,
    amount,
    currencyCode,
    processorTransactionId: transactionId,
    outcome: resultAt(entry, now),
    at,
  };
};
