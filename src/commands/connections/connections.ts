// The connections of accounts to processors, with their secrets where something is sent by them.
import type { Routing } from '../../domain/account.ts';
import {
  type ConnectionEvent,
  type ConnectionState,
  type ExistingConnection,
  isProven,
  validSecrets,
} from '../../domain/connection.ts';
import type { Streams } from '../../journal/streams.ts';
import { connectionAt, connectionOf } from '../../processors/connections.ts';
import type { Connection, Processor } from '../../processors/processor.ts';
import type { World } from '../../world.ts';
import type { Caller } from '../caller.ts';
import { type SecretOf, UnresolvedSecret } from './secret-reference.ts';

/** A connection by its id. */
export interface ConnectionRow {
  readonly id: string;
  readonly doc: ExistingConnection;
}

/** Opens the adapter of a processor; called when the first connection to it is seen. */
type OpenProcessor = () => Promise<Processor>;

interface ConnectionParts {
  readonly connections: Streams<ConnectionState, ConnectionEvent>;
  /** The processors of this node by their names; those of connections come in when they are first needed. */
  readonly processors: Map<string, Processor>;
  /** The adapters that a connection may name. */
  readonly openable: ReadonlyMap<string, OpenProcessor>;
  readonly secretOf: SecretOf;
  readonly mode: 'test' | 'live';
  readonly world: Pick<World, 'now' | 'sleep'>;
  readonly report: (fault: unknown) => void;
  /** The accounts that have rules of routing, by their ids. Throws StoreUnavailable. */
  readonly routings: () => Promise<ReadonlyMap<string, Routing>>;
  /** Connections, the oldest first. Throws StoreUnavailable. */
  readonly list: (query: { readonly accountId?: string }) => Promise<readonly ConnectionRow[]>;
}

/** Where an attempt goes, or went. */
export type ConnectionRoute = Pick<Connection, 'processor' | 'connectionId'>;

/** How often the connections of all accounts are looked at, ms. */
const LOOK_EVERY_MS = 5_000;

export class AccountConnections {
  readonly #parts: ConnectionParts;
  readonly #opening = new Map<string, Promise<Processor>>();
  #unresolved: readonly string[] = [];
  /** Those of all accounts, the same by their ids, and the active ones among them, as of the last look. */
  #all: readonly ConnectionRow[] = [];
  #byId: ReadonlyMap<string, ConnectionRow> = new Map();
  #active: readonly ConnectionRow[] = [];
  #routings: ReadonlyMap<string, Routing> = new Map();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /**
   * With its secrets, to send something by it; at once if nobody made the connection. Throws as `resolved` does, and
   * StoreUnavailable.
   */
  of(route: ConnectionRoute): Connection | Promise<Connection> {
    return isImplied(route) ? connectionOf(route) : this.#read(route);
  }

  async #read(route: ConnectionRoute): Promise<Connection> {
    const { state } = await this.#parts.connections.current(route.connectionId);
    return state.status === 'absent' ? connectionOf(route) : this.resolved({ id: route.connectionId, doc: state });
  }

  /**
   * `needed`: the secrets without which it is of no use; others are left out where they cannot be read. Throws
   * UnresolvedSecret, where the processor refuses the key in this mode as well.
   */
  async resolved({ id, doc }: ConnectionRow, needed: readonly string[] = ['secretKey']): Promise<Connection> {
    const { processor, apiUrl, publishableKey } = doc;
    const { world, mode } = this.#parts;
    const read = Object.entries(validSecrets(doc, world.now())).map(async ([name, reference]) => {
      const secret = await this.#parts.secretOf(reference).catch((fault: unknown) => {
        if (needed.includes(name) || !(fault instanceof UnresolvedSecret)) throw fault;
        return undefined;
      });
      return secret === undefined ? [] : [[name, secret] as const];
    });
    const secrets = Object.fromEntries((await Promise.all(read)).flat());
    const connection = {
      connectionId: id,
      processor,
      secrets,
      ...(apiUrl !== undefined && { apiUrl }),
      ...(publishableKey !== undefined && { publishableKey }),
      ...(isProven(doc) && { burnProven: true }),
    };
    const adapter = await this.processor(processor);
    for (const name of needed) {
      const refusal = adapter?.refusal?.(connection, mode, name);
      if (refusal !== undefined) throw new UnresolvedSecret(doc.secrets[name] ?? name, refusal.replace(/\.$/, ''));
    }
    return connection;
  }

  /**
   * The oldest active connection of the account to a processor that is opened for it, as of the last look; undefined if
   * it has none. A further sandbox takes what rules send to it, and nothing else.
   */
  defaultOf(accountId: string): ConnectionRow | undefined {
    const { openable } = this.#parts;
    return this.#active.find(({ doc }) => doc.accountId === accountId && openable.has(doc.processor));
  }

  /** The rules of the account, as of the last look; undefined: its payments go where their tokens are good. */
  routingOf(accountId: string): Routing | undefined {
    return this.#routings.get(accountId);
  }

  /** False for a connection of the account that is disabled, as of the last look. */
  isActive(accountId: string, connectionId: string): boolean {
    if (this.#parts.processors.has(connectionId)) return true; // it is named like its processor, and nobody made it
    const doc = this.#byId.get(connectionId)?.doc;
    return doc?.status === 'active' && doc.accountId === accountId;
  }

  /** The name of a connection, as of the last look; its id if it is not known here, or is named like its processor. */
  nameOf(connectionId: string): string {
    return this.#byId.get(connectionId)?.doc.name ?? connectionId;
  }

  /** The active connections of the account, as of the last look; the oldest first. */
  activeOf(accountId: string): readonly ConnectionRow[] {
    return this.#active.filter(({ doc }) => doc.accountId === accountId);
  }

  /** Those of the account, the disabled ones too; the oldest first. Throws StoreUnavailable. */
  listOf(accountId: string): Promise<readonly ConnectionRow[]> {
    return this.#parts.list({ accountId });
  }

  /** Those of all accounts, as of now; the oldest first. Throws StoreUnavailable. */
  listAll(): Promise<readonly ConnectionRow[]> {
    return this.#parts.list({});
  }

  /** False if the connection is disabled, or is another account's: no payment begins by it. Throws StoreUnavailable. */
  async takesPayments(route: ConnectionRoute, accountId: string): Promise<boolean> {
    if (isImplied(route)) return true;
    const { state } = await this.#parts.connections.current(route.connectionId);
    return state.status === 'absent' || (state.status === 'active' && state.accountId === accountId);
  }

  /** A connection by its id, active or disabled. Throws StoreUnavailable. */
  async read(id: string): Promise<ConnectionRow | undefined> {
    const { state } = await this.#parts.connections.current(id);
    return state.status === 'absent' ? undefined : { id, doc: state };
  }

  /** Whose a book of the sandbox is: an account has its own id there, a further sandbox that of its connection. */
  async accountOfBook(book: string): Promise<string> {
    return book.startsWith('con_') ? ((await this.read(book))?.doc.accountId ?? book) : book;
  }

  /**
   * Why secrets of a connection cannot be used on this node, by their names, in sentences that name the reference, and
   * why its `publishableKey` cannot; empty if all can. `by`: a user, who is not told the reason; an operator where it
   * is left out.
   */
  async problemsOf(row: ConnectionRow, by?: Caller): Promise<ReadonlyMap<string, string>> {
    const problems = new Map<string, string>();
    for (const name of Object.keys(validSecrets(row.doc, this.#parts.world.now())))
      await this.resolved(row, [name]).catch((fault: unknown) => {
        if (!(fault instanceof UnresolvedSecret)) throw fault;
        problems.set(name, by === undefined ? fault.message : fault.told);
      });
    const { processor, publishableKey } = row.doc;
    if (publishableKey === undefined) return problems;
    const shown = { ...withoutSecrets(row), publishableKey };
    const refusal = (await this.processor(processor))?.refusal?.(shown, this.#parts.mode, 'publishableKey');
    return refusal === undefined ? problems : problems.set('publishableKey', refusal);
  }

  /**
   * An active connection of the account, as of the last look: strangers ask for the page with its fields, and each id
   * would be a read.
   */
  find(accountId: string, connectionId: string): ConnectionRow | undefined {
    const row = this.#byId.get(connectionId);
    return row?.doc.status === 'active' && row.doc.accountId === accountId ? row : undefined;
  }

  /**
   * Those that customers of the account may be sent on by: of processors that need none, and all that were made for it,
   * since a disabled one ends its payments. Without secrets. Throws StoreUnavailable.
   */
  async shownBy(accountId: string): Promise<readonly Connection[]> {
    const { processors, openable, list } = this.#parts;
    const implied = [...processors.keys()].filter((name) => !openable.has(name)).map(connectionAt);
    return [...implied, ...(await list({ accountId })).map(withoutSecrets)];
  }

  /**
   * Those by whose secrets a notification may be signed that came by the key `keyId`. A disabled one counts: its
   * payments go on. Throws UnresolvedSecret and StoreUnavailable.
   */
  async calledBy(accountId: string, processor: string, keyId: string | undefined): Promise<Connection | undefined> {
    if (!this.#parts.openable.has(processor)) {
      // Each of them is signed by the same secret, so the last look is enough for a connection that it found. A path
      // that it does not know may belong to a newer connection: as the first one's, its notification would be parked.
      const isIts = ({ doc }: ConnectionRow): boolean => doc.accountId === accountId && doc.webhookKeyId === keyId;
      const added = this.#all.find(isIts) ?? (await this.#parts.list({ accountId })).find(isIts);
      return added === undefined ? connectionAt(processor) : withoutSecrets(added);
    }
    const rows = await this.#parts.list({ accountId });
    const row = rows.find(({ doc }) => doc.processor === processor && doc.webhookKeyId === keyId);
    // the secret key too: it decides which mode a notification must be of
    return row && this.resolved(row, ['secretKey', 'webhookSecret']);
  }

  /** The adapter, opened where a connection needs it; undefined for a name that this node does not know. */
  async processor(name: string): Promise<Processor | undefined> {
    const { processors, openable } = this.#parts;
    const known = processors.get(name);
    const open = openable.get(name);
    if (known !== undefined || open === undefined) return known;
    const opening = this.#opening.get(name) ?? open();
    this.#opening.set(name, opening);
    try {
      const opened = await opening;
      processors.set(name, opened);
      return opened;
    } finally {
      this.#opening.delete(name);
    }
  }

  /** The connections whose secrets cannot be read on this node, each in a sentence for operators. */
  get unresolved(): readonly string[] {
    return this.#unresolved;
  }

  /** Opens the adapters of all connections, and tries the secrets of the active ones. Throws StoreUnavailable. */
  async look(): Promise<void> {
    const found: string[] = [];
    const all = await this.#parts.list({});
    this.#all = all;
    this.#byId = new Map(all.map((row) => [row.id, row]));
    this.#active = all.filter(({ doc }) => doc.status === 'active');
    this.#routings = await this.#parts.routings();
    // the payments of a disabled one go on, and need its adapter
    for (const { doc } of all) await this.processor(doc.processor);
    for (const { id, doc } of this.#active) {
      await this.resolved({ id, doc }, ['secretKey', 'webhookSecret']).catch((fault: unknown) => {
        if (!(fault instanceof UnresolvedSecret)) throw fault;
        found.push(`connection ${id} (${doc.name}): ${fault.message}`);
      });
    }
    this.#unresolved = found;
  }

  /** Looks again and again until the signal aborts: connections are added and secrets changed while it runs. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, report } = this.#parts;
    // its own signal: Node warns of more than ten that wait for one
    const own = AbortSignal.any([signal]);
    while (!own.aborted) {
      await this.look().catch(report);
      await world.sleep(LOOK_EVERY_MS, own).catch(() => undefined);
    }
  }
}

export const withoutSecrets = ({ id, doc: { processor, apiUrl } }: ConnectionRow): Connection => ({
  ...connectionOf({ processor, connectionId: id }),
  ...(apiUrl !== undefined && { apiUrl }),
});

/** Not made by anybody: the sandbox has one connection, which is named like it. */
const isImplied = ({ connectionId, processor }: ConnectionRoute): boolean => connectionId === processor;
