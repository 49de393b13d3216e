// One client's connection: carries out and answers each command, or misbehaves as ordered.
import type { Socket } from 'node:net';
import { elementBytes, encode, isRecord, joinDocument } from './bson/elements.ts';
import type { Command } from './commands/command.ts';
import { badValue, CommandError, errorReply } from './commands/command-error.ts';
import { HANDLERS } from './commands/handlers.ts';
import type { Counts } from './counts.ts';
import { type Fault, type Faults, isRead, isWrite } from './faults.ts';
import type { Membership } from './membership.ts';
import { FilterRefused } from './query/filter.ts';
import type { Store } from './storage/store.ts';
import { type Message, MessageReader, writeReply } from './wire.ts';

export interface Shared {
  readonly store: Store;
  readonly faults: Faults;
  readonly counts: Counts;
  readonly membership: Membership;
}

const HELLO: ReadonlySet<string> = new Set(['hello', 'isMaster', 'ismaster']);

export class Connection {
  readonly #socket: Socket;
  readonly #shared: Shared;
  readonly #reader = new MessageReader();
  #withdraw: (() => void) | undefined;
  /** True while the connection has only carried hello, as a monitor's does. */
  #isMonitor = true;
  #isSilent = false;

  constructor(socket: Socket, shared: Shared) {
    this.#socket = socket;
    this.#shared = shared;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#read(chunk));
    // A killed client resets its connection.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#withdraw?.());
  }

  /** Answers nothing from now on, unless the connection is a monitor's. */
  silence(): void {
    this.#isSilent = !this.#isMonitor;
  }

  #read(chunk: Buffer): void {
    if (this.#isSilent) return;
    let messages: readonly Message[];
    try {
      messages = this.#reader.read(chunk);
    } catch (error) {
      console.error(error);
      this.#socket.destroy();
      return;
    }
    for (const message of messages) {
      if (HELLO.has(message.command.name)) this.#hello(message);
      else this.#command(message);
    }
  }

  /** Answers hello, after the next change if the client asks for that. */
  #hello(message: Message): void {
    const { membership } = this.#shared;
    const patience = membership.patience(message.command);
    if (patience === 0) this.#tell(message, message.requestId);
    else this.#withdraw = membership.await(patience, () => this.#tell(message, message.requestId));
  }

  /** Answers hello. A client that accepts several answers gets one at each change until it leaves. */
  #tell(message: Message, answers: number): void {
    const { membership } = this.#shared;
    const { command, exhaustAllowed } = message;
    const id = this.#answer(membership.hello(command), message, answers, exhaustAllowed);
    if (!exhaustAllowed) return;
    this.#withdraw = membership.await(Number(command.body['maxAwaitTimeMS'] ?? 10_000), () => this.#tell(message, id));
  }

  #command(message: Message): void {
    const { faults, counts } = this.#shared;
    const { command } = message;
    this.#isMonitor = false;
    counts.add(command);
    const fault = faults.next(command);
    if (fault === 'silent_before') return;
    if (fault === 'reset_before') {
      this.#socket.resetAndDestroy();
      return;
    }
    const workMs = faults.workMs(command);
    const patience = Number(command.body['maxTimeMS'] ?? 0);
    if (patience > 0 && patience < workMs) {
      this.#answer(
        errorReply(new CommandError(50, 'MaxTimeMSExpired', 'operation exceeded time limit')),
        message,
        message.requestId,
        false,
        patience,
      );
      return;
    }
    const { lateMs, timesOut } = confirmation(command, faults.lagMs);
    const reply = this.#carryOut(command, timesOut ? 'write_concern' : fault);
    if (fault === 'silent_after') return;
    if (fault === 'reset_after') this.#socket.resetAndDestroy();
    else if (!message.unanswered) this.#answer(reply, message, message.requestId, false, lateMs + workMs);
  }

  /** Carries out a command. Its changes are in the journal when this returns, even if it fails halfway. */
  #carryOut(command: Command, fault: Fault | undefined): Buffer {
    const { store, membership } = this.#shared;
    try {
      this.#refuse(command, fault);
      const handler = HANDLERS.get(command.name);
      if (handler === undefined) throw new CommandError(59, 'CommandNotFound', `no such command: '${command.name}'`);
      return withWriteConcern(handler(command, store), command, fault);
    } catch (error) {
      if (error instanceof CommandError) return errorReply(error);
      if (error instanceof FilterRefused) return errorReply(badValue(error.message));
      console.error(error);
      return errorReply(
        new CommandError(8, 'UnknownError', error instanceof Error ? (error.stack ?? error.message) : String(error)),
      );
    } finally {
      store.commit();
      if (fault === 'not_primary') membership.news();
    }
  }

  #refuse({ name, database, body }: Command, fault: Fault | undefined): void {
    if (body['autocommit'] === false) throw badValue('transactions are not served here');
    if (fault === 'unauthorized')
      throw new CommandError(13, 'Unauthorized', `not authorized on ${database} to execute command ${name}`);
    const { membership } = this.#shared;
    const preference = isRecord(body['$readPreference']) ? body['$readPreference']['mode'] : 'primary';
    const isRefused = fault === 'not_primary' || (!membership.primary && (isWrite(name) || preference === 'primary'));
    if (isRefused && (isWrite(name) || isRead(name)))
      throw membership.notPrimary(isWrite(name), body['txnNumber'] !== undefined);
  }

  /** Sends an answer and returns its id. */
  #answer(doc: Buffer, { legacy }: Message, answers: number, moreToCome: boolean, lateMs = 0): number {
    const { bytes, id } = writeReply(doc, answers, legacy, moreToCome);
    const ms = this.#shared.faults.slowMs + lateMs;
    if (ms === 0) this.#send(bytes);
    else setTimeout(() => this.#send(bytes), ms);
    return id;
  }

  #send(bytes: Buffer): void {
    if (!this.#isSilent && this.#socket.writable) this.#socket.write(bytes);
  }
}

/**
 * The delay of the response to the writer, and whether its `wtimeout` passes before the majority confirms. 0 means no
 * timeout.
 */
function confirmation({ name, body }: Command, lagMs: number): { readonly lateMs: number; readonly timesOut: boolean } {
  const concern = isRecord(body['writeConcern']) ? body['writeConcern'] : {};
  if (lagMs === 0 || !isWrite(name) || concern['w'] !== 'majority') return { lateMs: 0, timesOut: false };
  const patience = Number(concern['wtimeout'] ?? 0);
  const timesOut = patience > 0 && patience < lagMs;
  return { lateMs: timesOut ? patience : lagMs, timesOut };
}

/** Adds the write concern error of a fault, or of a concern with more members than there are. The write took effect. */
function withWriteConcern(reply: Buffer, { name, body }: Command, fault: Fault | undefined): Buffer {
  if (!isWrite(name)) return reply;
  const wanted = isRecord(body['writeConcern']) ? Number(body['writeConcern']['w']) : 1;
  const writeConcernError =
    fault === 'write_concern'
      ? {
          code: 64,
          codeName: 'WriteConcernFailed',
          errmsg: 'waiting for replication timed out',
          errInfo: { wtimeout: true },
        }
      : wanted > 1
        ? { code: 100, codeName: 'UnsatisfiableWriteConcern', errmsg: 'Not enough data-bearing nodes' }
        : undefined;
  return writeConcernError === undefined
    ? reply
    : joinDocument([reply, encode({ writeConcernError })].map(elementBytes));
}
