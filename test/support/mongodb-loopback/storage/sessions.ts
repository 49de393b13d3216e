// Retryable writes: a statement is carried out once, even if the driver sends its command again.
import { Binary, Long } from 'bson';
import { encode, hexOf, isRecord } from '../bson/elements.ts';
import { CommandError } from '../commands/command-error.ts';

/** The statements that were carried out under a session's last transaction number. */
interface Done {
  readonly transaction: number;
  /** Statements that changed a document. */
  readonly changed: Set<number>;
  /** Ids of documents that statements inserted by upsert. */
  readonly upserted: Map<number, unknown>;
}

const SESSIONS = 10_000;

/** Collects the effects of a command's statements. Effects of a command that is not retryable are not kept. */
export class Attempt {
  readonly #done: Done | undefined;
  readonly #changed: number[] = [];
  readonly #upserted: (readonly [number, unknown])[] = [];
  readonly #keep: ((changed: readonly number[], upserted: readonly (readonly [number, unknown])[]) => void) | undefined;

  constructor(
    done?: Done,
    keep?: (changed: readonly number[], upserted: readonly (readonly [number, unknown])[]) => void,
  ) {
    this.#done = done;
    this.#keep = keep;
  }

  /** The effect of the statement when it came before. */
  before(statement: number): { readonly upserted?: { readonly id: unknown } } | undefined {
    if (this.#done === undefined || !this.#done.changed.has(statement)) return undefined;
    return this.#done.upserted.has(statement) ? { upserted: { id: this.#done.upserted.get(statement) } } : {};
  }

  changed(statement: number): void {
    if (this.#done === undefined) return;
    this.#done.changed.add(statement);
    this.#changed.push(statement);
  }

  upserted(statement: number, id: unknown): void {
    if (this.#done === undefined) return;
    this.changed(statement);
    this.#done.upserted.set(statement, id);
    this.#upserted.push([statement, id]);
  }

  end(): void {
    if (this.#changed.length > 0) this.#keep?.(this.#changed, this.#upserted);
  }
}

type Upserted = readonly (readonly [number, unknown])[];

const recordOf = (session: string, { transaction }: Done, changed: readonly number[], upserted: Upserted): Buffer =>
  encode({
    session,
    transaction: Long.fromNumber(transaction),
    changed: new Binary(Buffer.from(Int32Array.from(changed).buffer)),
    upserted,
  });

export class Sessions {
  readonly #sessions = new Map<string, Done>();
  readonly #record: (doc: Buffer) => void;

  constructor(record: (doc: Buffer) => void) {
    this.#record = record;
  }

  begin(body: Readonly<Record<string, unknown>>): Attempt {
    if (body['txnNumber'] === undefined || !isRecord(body['lsid'])) return new Attempt();
    const session = hexOf(body['lsid']['id']);
    const done = this.#at(session, Number(body['txnNumber']));
    return new Attempt(done, (changed, upserted) => this.#record(recordOf(session, done, changed, upserted)));
  }

  /** The records from which all sessions can be restored. */
  records(): readonly Buffer[] {
    return Array.from(this.#sessions, ([session, done]) =>
      recordOf(session, done, [...done.changed], [...done.upserted]),
    );
  }

  end(session: string): void {
    this.#sessions.delete(session);
  }

  replay(record: Readonly<Record<string, unknown>>): void {
    const done = this.#at(String(record['session']), Number(record['transaction']));
    const bytes = record['changed'] instanceof Binary ? Buffer.from(record['changed'].buffer) : Buffer.alloc(0);
    for (let at = 0; at < bytes.length; at += 4) done.changed.add(bytes.readInt32LE(at));
    const upserted: unknown = record['upserted'];
    if (Array.isArray(upserted)) for (const [statement, id] of upserted) done.upserted.set(Number(statement), id);
  }

  #at(session: string, transaction: number): Done {
    const known = this.#sessions.get(session);
    if (known !== undefined && known.transaction > transaction) {
      throw new CommandError(
        225,
        'TransactionTooOld',
        `Retryable write with txnNumber ${transaction} is prohibited on session ${session} because a newer retryable write with txnNumber ${known.transaction} has already started on this session.`,
      );
    }
    if (known?.transaction === transaction) return known;
    const done: Done = { transaction, changed: new Set(), upserted: new Map() };
    this.#sessions.delete(session);
    this.#sessions.set(session, done);
    const [oldest] = this.#sessions.size > SESSIONS ? this.#sessions.keys() : [];
    if (oldest !== undefined) this.#sessions.delete(oldest);
    return done;
  }
}
