// AccountConnections: added, given new references, and disabled by operators and users of the dashboard.

import type { NewReferences } from '../../domain/connection/decide.ts';
import {
  addConnection as decideAdding,
  disableConnection,
  recordProof,
  rotateReferences,
} from '../../domain/connection/decide.ts';
import type { ConnectionEvent } from '../../domain/connection/events.ts';
import type { ConnectionState } from '../../domain/connection/state.ts';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import type { Streams } from '../../journal/streams.ts';
import { newId } from '../../world.ts';
import { type Answer, type Caller, type Completed, completed } from '../caller.ts';
import { type Effect, leftBy, transactFor, type Worked } from '../effect.ts';
import { type OnceNeeds, onceFor } from '../once-for.ts';
import type { AccountConnections, ConnectionRow } from './connections.ts';
import { isReference, UnresolvedSecret } from './secret-reference.ts';

export interface ManageNeeds extends OnceNeeds {
  readonly connections: Streams<ConnectionState, ConnectionEvent>;
  readonly known: AccountConnections;
  readonly mode: 'test' | 'live';
  /** The processors that a connection may name. */
  readonly names: readonly string[];
  /** True if there is such an account. Throws StoreUnavailable. */
  readonly hasAccount: (accountId: string) => Promise<boolean>;
  /** A key that may only send notifications, and the token of a path that stands for it. */
  readonly makeWebhookPath: (
    accountId: string,
    processor: string,
    name: string,
  ) => Promise<{ readonly keyId: string; readonly token: string } | Rejection>;
}

export interface NewConnection {
  readonly accountId: string;
  readonly processor: string;
  readonly name: string;
  /** References: `env:NAME` or `file:PATH`. */
  readonly secretKey: string;
  readonly webhookSecret?: string | undefined;
  readonly publishableKey?: string | undefined;
  readonly apiUrl?: string | undefined;
}

export interface ConnectionAdded extends Completed<ConnectionState> {
  /** The secret part of the path `/webhooks/<processor>/<token>`; it cannot be shown again. */
  readonly token: string;
}

/**
 * RequestValidationError for a processor, a name, a reference or an address that is none, for a secret that cannot be
 * read here, and for one of the other mode; NotFound for an unknown account; Conflict for a name that an active
 * connection of the account has.
 */
export async function addConnection(needs: ManageNeeds, added: NewConnection): Promise<ConnectionAdded | Rejection> {
  const { accountId, processor, name, secretKey, webhookSecret, publishableKey, apiUrl } = added;
  if (!(await needs.hasAccount(accountId))) return reject('NotFound', `There is no account ${accountId}.`);
  const secrets = { secretKey, ...(webhookSecret !== undefined && { webhookSecret }) };
  const refused = (await refusalOf(needs, added)) ?? (await nameTaken(needs, accountId, name));
  if (refused !== undefined) return refused;
  const id = newId(needs.world, 'con');
  const path = await needs.makeWebhookPath(accountId, processor, name);
  if ('kind' in path) return path;
  const made = await onceFor<ConnectionState, ConnectionEvent, Answer<ConnectionState>>(needs, undefined, accountId, {
    name: 'add-connection',
    target: needs.connections,
    resource: { id },
    appendsOnce: true,
    work: (effect) =>
      changed(
        needs,
        effect,
        decideAdding({
          accountId,
          processor,
          name,
          secrets,
          createdAt: effect.context.at,
          webhookKeyId: path.keyId,
          ...(publishableKey !== undefined && { publishableKey }),
          ...(apiUrl !== undefined && { apiUrl: apiUrl.replace(/\/+$/, '') }),
        }),
      ),
    replay: async (_effect, revision) => completed(id, await needs.connections.at(id, revision)),
  });
  return made.kind === 'rejected' ? made : { ...made, token: path.token };
}

const invalid = (path: string, description: string): Rejection =>
  reject('RequestValidationError', description, { violations: [{ path, description }] });

async function refusalOf(
  { names, mode, known }: ManageNeeds,
  { processor, name, secretKey, webhookSecret, publishableKey, apiUrl, accountId }: NewConnection,
): Promise<Rejection | undefined> {
  if (!names.includes(processor))
    return invalid('$.processor', `There is no processor ${processor} to connect to. Known: ${names.join(', ')}.`);
  if (!/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/.test(name))
    return invalid('$.name', 'Must be 1 to 64 letters, digits, blanks and . _ -, with a letter or digit first.');
  const refused = refusalOfReferences({ secretKey, webhookSecret, publishableKey });
  if (refused !== undefined) return refused;
  if (apiUrl !== undefined && mode === 'live')
    return invalid('$.apiUrl', 'Another server takes no live payments: it is for test mode.');
  if (apiUrl !== undefined && !/^https?:\/\/[^/\s?#@]+\/*$/.test(apiUrl))
    return invalid('$.apiUrl', 'Must be http:// or https:// with a host, and no path.');
  const doc = { status: 'active', accountId, processor, name, secrets: { secretKey }, createdAt: 0 } as const;
  return unusable(known, { id: 'new', doc });
}

/** Tried where the command runs: an unreadable key, or a key of the other mode, is refused. */
const unusable = (known: AccountConnections, row: ConnectionRow): Promise<Rejection | undefined> =>
  known.resolved(row).then(
    () => undefined,
    (fault: unknown) => {
      if (fault instanceof UnresolvedSecret) return invalid('$.secretKey', fault.message);
      throw fault;
    },
  );

/** No secret is repeated in the answer. */
function refusalOfReferences({ secretKey, webhookSecret, publishableKey }: NewReferences): Rejection | undefined {
  for (const [path, reference] of [
    ['$.secretKey', secretKey],
    ['$.webhookSecret', webhookSecret],
  ] as const)
    if (reference !== undefined && !isReference(reference))
      return invalid(path, 'Must be a reference: env:NAME or file:PATH. The secret itself is never stored.');
  return publishableKey === undefined || /^pk_\w{1,250}$/.test(publishableKey)
    ? undefined
    : invalid('$.publishableKey', 'Must be the publishable key, pk_…: browsers see it.');
}

async function nameTaken({ known }: ManageNeeds, accountId: string, name: string): Promise<Rejection | undefined> {
  const taken = (await known.activeOf(accountId)).some(({ doc }) => doc.name === name);
  return taken ? reject('Conflict', `An active connection of the account is named ${name}.`) : undefined;
}

/** New references of an active connection. NotFound; Conflict for a disabled one. */
export async function rotateConnection(
  needs: ManageNeeds,
  connectionId: string,
  references: NewReferences,
  by?: Caller,
): Promise<Answer<ConnectionState>> {
  const { state } = await needs.connections.current(connectionId);
  const secretKey = references.secretKey;
  const rotated =
    state.status === 'active' && secretKey !== undefined
      ? { id: connectionId, doc: { ...state, secrets: { ...state.secrets, secretKey } } }
      : undefined;
  const refused =
    refusalOfReferences(references) ?? (rotated === undefined ? undefined : await unusable(needs.known, rotated));
  if (refused !== undefined) return refused;
  return change(needs, 'rotate-connection', connectionId, rotateReferences(references), by);
}

/**
 * Records the end of a run that tried the fences at the connection's server. NotFound; Conflict for a disabled one.
 */
export const recordRun = (
  needs: ManageNeeds,
  connectionId: string,
  hasPassed: boolean,
): Promise<Answer<ConnectionState>> =>
  change(needs, 'prove-connection', connectionId, recordProof(hasPassed), undefined);

/** No new payment begins by it. NotFound. */
export const disable = (needs: ManageNeeds, connectionId: string, by?: Caller): Promise<Answer<ConnectionState>> =>
  change(needs, 'disable-connection', connectionId, disableConnection(), by);

async function change(
  needs: ManageNeeds,
  name: string,
  connectionId: string,
  decide: (connection: ConnectionState) => Decision<ConnectionEvent>,
  by: Caller | undefined,
): Promise<Answer<ConnectionState>> {
  const { state } = await needs.connections.current(connectionId);
  if (state.status === 'absent' || (by !== undefined && by.accountId !== state.accountId))
    return reject('NotFound', `There is no connection ${connectionId}.`);
  return onceFor<ConnectionState, ConnectionEvent, Answer<ConnectionState>>(needs, by, state.accountId, {
    name,
    target: needs.connections,
    resource: { id: connectionId },
    appendsOnce: true,
    work: (effect) => changed(needs, effect, decide),
    replay: async (_effect, revision) => completed(connectionId, await needs.connections.at(connectionId, revision)),
  });
}

async function changed(
  needs: ManageNeeds,
  effect: Effect,
  decide: (connection: ConnectionState) => Decision<ConnectionEvent>,
): Promise<Worked<Answer<ConnectionState>>> {
  const { resourceId } = effect;
  const done = await transactFor(effect, needs.connections, decide);
  if (done.kind === 'rejected') return { answer: done, appended: false };
  await needs.known.look().catch(() => undefined); // this process looks again within seconds, as others do
  return {
    answer: completed(resourceId, await leftBy(needs.connections, resourceId, done)),
    appended: done.kind !== 'unchanged',
  };
}
