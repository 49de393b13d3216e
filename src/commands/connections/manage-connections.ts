// Connections: added, given new references, and disabled by operators and users of the dashboard.
import {
  type ConnectionEvent,
  type ConnectionState,
  addConnection as decideAdding,
  disableConnection,
  type ExistingConnection,
  type NewReferences,
  recordProof,
  rotateReferences,
} from '../../domain/connection.ts';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import type { Streams } from '../../journal/streams.ts';
import { isOrigin } from '../../processors/origin.ts';
import type { Examined } from '../../processors/processor.ts';
import type { StoreKey } from '../../secrets.ts';
import { within } from '../../world.ts';
import type { AccessControl } from '../access/access.ts';
import { type Answer, type Caller, type Completed, completed } from '../caller.ts';
import { leftBy, transactFor } from '../effect.ts';
import { answerOf, changeFor, type ManageNeeds, replayed } from '../idempotency.ts';
import type { AccountConnections, ConnectionRow } from './connections.ts';
import { isReference, UnresolvedSecret } from './secret-reference.ts';

export interface ConnectionNeeds extends ManageNeeds {
  readonly connections: Streams<ConnectionState, ConnectionEvent>;
  readonly known: AccountConnections;
  readonly mode: 'test' | 'live';
  /** The processors that a connection may name, and those among them that are used by secrets. */
  readonly names: readonly string[];
  readonly secretNames: readonly string[];
  /** True if there is such an account. Throws StoreUnavailable. */
  readonly hasAccount: (accountId: string) => Promise<boolean>;
  readonly storeKey: StoreKey;
  readonly access: Pick<AccessControl, 'addConnectionPath' | 'revokeIncomingWebhook' | 'pathsOf'>;
  /** Under which processors reach the service, without a slash at its end. */
  readonly publicUrl: () => string;
}

export interface NewConnection {
  readonly accountId: string;
  readonly processor: string;
  readonly name: string;
  /** References: `env:NAME` or `file:PATH`. A sandbox has none. */
  readonly secretKey?: string | undefined;
  readonly webhookSecret?: string | undefined;
  readonly publishableKey?: string | undefined;
  readonly apiUrl?: string | undefined;
}

export interface ConnectionAdded extends Completed<ExistingConnection> {
  /** The secret part of the path `/webhooks/<processor>/<token>`; it cannot be shown again. */
  readonly token: string;
}

/**
 * `by` in these: the user of the dashboard, once for its idempotency key; an operator where it is left out.
 * RequestValidationError for a processor, a name, a reference or an address that is none, for a secret that cannot be
 * read here, and for one of the other mode; NotFound for an unknown account; Conflict for a name that an active
 * connection of the account has.
 */
export async function addConnection(
  needs: ConnectionNeeds,
  added: NewConnection,
  by?: Caller,
): Promise<ConnectionAdded | Rejection> {
  const { accountId, processor, name, publishableKey, apiUrl } = added;
  if (!(await needs.hasAccount(accountId))) return reject('NotFound', `There is no account ${accountId}.`);
  const ofName = await idFor(needs, accountId, name);
  const decide = (webhookKeyId: string, createdAt: number) =>
    decideAdding({
      accountId,
      processor,
      name,
      secrets: secretsOf(added),
      createdAt,
      webhookKeyId,
      ...(publishableKey !== undefined && { publishableKey }),
      ...(apiUrl !== undefined && { apiUrl: withoutSlash(apiUrl) }),
    });
  using operation = await needs.idempotency.openFor(by, accountId, 'add-connection');
  const target = { streams: needs.connections, resource: { id: ofName }, appendsOnce: true };
  const begun = await operation.begin(target, () => refusalOf(needs, added, by));
  if (begun.kind === 'rejected') return begun;
  const id = begun.resourceId; // that of the first call: the name may have got another since
  const made = await needs.access.addConnectionPath({ accountId, connectionId: id, processor, name }, under(by, id));
  if (begun.kind === 'repeated')
    return replayed(withToken(completed(id, await needs.connections.at(id, begun.revision)), made));
  if (made.kind === 'rejected') return operation.end(begun, made, 'nothing');
  const done = await transactFor(begun, needs.connections, decide(made.id, begun.context.at));
  if (done.kind === 'rejected') {
    await needs.access.revokeIncomingWebhook(made.webhookId, under(by, id)); // another request has the name
    return operation.end(begun, done, 'nothing');
  }
  await lookAgain(needs);
  await tellPath(needs, processor, id, made.token);
  const answer = withToken(completed(id, await leftBy(needs.connections, id, done)), made);
  return operation.end(begun, answer, done.kind === 'unchanged' ? 'nothing' : 'appended');
}

/** This process looks again at once, others within seconds. */
const lookAgain = ({ known }: ConnectionNeeds): Promise<void> => known.look().catch(() => undefined);

/** The processor in the box has nobody who enters the path; without it, look-ups find what it would have told. */
async function tellPath(
  { known }: ConnectionNeeds,
  processor: string,
  connectionId: string,
  token: string,
): Promise<void> {
  const adapter = await known.processor(processor);
  await adapter?.connect?.({ accountId: connectionId, apiKey: token });
}

const secretsOf = ({ secretKey, webhookSecret }: NewConnection) => ({
  ...(secretKey !== undefined && { secretKey }),
  ...(webhookSecret !== undefined && { webhookSecret }),
});

/** The name's own stream: of two requests for one name the first append wins, on any node. */
async function idFor({ known, storeKey }: ConnectionNeeds, accountId: string, name: string): Promise<string> {
  const before = (await known.listOf(accountId)).filter(({ doc }) => doc.name === name && doc.status === 'disabled');
  return `con_${storeKey.name('derived-id', `connection ${before.length} of ${accountId} named ${name}`)}`;
}

/** The user with a key for this connection's path: the same request may name another connection later. */
const under = (by: Caller | undefined, connectionId: string): Caller | undefined =>
  by?.idempotency === undefined
    ? by
    : { ...by, idempotency: { ...by.idempotency, key: `${by.idempotency.key} ${connectionId}` } };

function withToken(
  answer: Answer<ConnectionState>,
  path: Rejection | { readonly kind: 'completed'; readonly token: string },
): ConnectionAdded | Rejection {
  if (answer.kind === 'rejected') return answer;
  if (path.kind === 'rejected') return path;
  const { doc } = answer;
  return doc.status === 'absent' ? missing(answer.id) : { ...answer, doc, token: path.token };
}

const missing = (connectionId: string): Rejection => reject('NotFound', `There is no connection ${connectionId}.`);

const invalid = (path: string, description: string): Rejection =>
  reject('RequestValidationError', description, { violations: [{ path, description }] });

async function refusalOf(
  needs: ConnectionNeeds,
  added: NewConnection,
  by: Caller | undefined,
): Promise<Rejection | undefined> {
  const { names, mode, known } = needs;
  const { processor, name, secretKey, webhookSecret, publishableKey, apiUrl, accountId } = added;
  if (!names.includes(processor))
    return invalid('$.processor', `There is no processor ${processor} to connect to. Known: ${names.join(', ')}.`);
  if (!/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/.test(name))
    return invalid('$.name', 'Must be 1 to 64 letters, digits, blanks and . _ -, with a letter or digit first.');
  if (names.includes(name) && !needs.secretNames.includes(name))
    return invalid('$.name', `Must not be ${name}: everybody has a connection of that name.`);
  if (!needs.secretNames.includes(processor)) return refusalOfSecrets(added);
  if (secretKey === undefined) return invalid('$.secretKey', `Required for the processor ${processor}.`);
  const refused = refusalOfReferences({ secretKey, webhookSecret, publishableKey });
  if (refused !== undefined) return refused;
  if (apiUrl !== undefined) {
    const origin = withoutSlash(apiUrl);
    if (mode === 'live') return invalid('$.apiUrl', 'Another server takes no live payments: it is for test mode.');
    if (!isOrigin(origin)) return invalid('$.apiUrl', `Must be an origin, such as ${formOf(origin)}.`);
  }
  const doc = { status: 'active', accountId, processor, name, secrets: secretsOf(added), createdAt: 0 } as const;
  const row = { id: 'new', doc: { ...doc, ...(publishableKey !== undefined && { publishableKey }) } };
  return unusable(known, row, ['secretKey', 'webhookSecret', 'publishableKey'], by);
}

/** A reference that a user is about to name. */
export interface ReferenceAsked {
  readonly processor: string;
  readonly what: 'secretKey' | 'webhookSecret';
  /** `env:NAME` or `file:PATH`. */
  readonly reference: string;
}

/**
 * True if this process can read what a reference names, and the processor takes it as such a secret in this mode.
 * The reason of a false, and the secret, stay here: which files the machine has is for operators.
 * RequestValidationError for a text that is not a reference, and for a processor without secrets.
 */
export async function canUseReference(
  { known, secretNames }: Pick<ConnectionNeeds, 'known' | 'secretNames'>,
  { processor, what, reference }: ReferenceAsked,
): Promise<boolean | Rejection> {
  if (!secretNames.includes(processor)) return invalid('$.processor', `The processor ${processor} has no secrets.`);
  if (!isReference(reference)) return invalid('$.reference', NOT_A_REFERENCE);
  const secrets = { [what]: reference };
  const doc = { status: 'active', accountId: '', processor, name: '', secrets, createdAt: 0 } as const;
  return !(await known.problemsOf({ id: 'new', doc })).has(what);
}

/** The processor in the box has no secrets. */
function refusalOfSecrets({ processor, ...given }: NewConnection): Rejection | undefined {
  const named = (['secretKey', 'webhookSecret', 'publishableKey', 'apiUrl'] as const).find(
    (member) => given[member] !== undefined,
  );
  return named && invalid(`$.${named}`, `Must be left out: the processor ${processor} has none.`);
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '');

/** The text as it would be accepted, or an example of one. */
function formOf(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : '';
  return isOrigin(origin) ? origin : 'http://127.0.0.1:4010 or https://stripe.example, without a path';
}

/** Tried where the command runs: a secret that is unreadable, of another kind or of the other mode is refused. */
async function unusable(
  known: AccountConnections,
  row: ConnectionRow,
  names: readonly string[],
  by: Caller | undefined,
): Promise<Rejection | undefined> {
  const problems = await known.problemsOf(row, by);
  for (const name of names) {
    const problem = problems.get(name);
    if (problem !== undefined) return invalid(`$.${name}`, problem);
  }
  return undefined;
}

const NOT_A_REFERENCE =
  'Must be a reference: env:NAME or file:PATH. PATH is a path from the root. The secret itself is never stored.';

/** No secret is repeated in the answer. */
function refusalOfReferences({ secretKey, webhookSecret, publishableKey }: NewReferences): Rejection | undefined {
  for (const [path, reference] of [
    ['$.secretKey', secretKey],
    ['$.webhookSecret', webhookSecret],
  ] as const)
    if (reference !== undefined && !isReference(reference)) return invalid(path, NOT_A_REFERENCE);
  return publishableKey === undefined || /^pk_\w{1,250}$/.test(publishableKey)
    ? undefined
    : invalid('$.publishableKey', 'Must be the publishable key, pk_…: browsers see it.');
}

/**
 * New references of an active connection. NotFound; Conflict for a disabled one, and where a webhook secret that is
 * still valid would be pushed out; RequestValidationError as for a new connection.
 */
export async function rotateConnection(
  needs: ConnectionNeeds,
  connectionId: string,
  references: NewReferences,
  by?: Caller,
): Promise<Answer<ConnectionState>> {
  const row = await ofCaller(needs, connectionId, by);
  if (row === undefined) return missing(connectionId);
  const refused = refusalOfReferences(references) ?? (await unusableIn(needs.known, row, references, by));
  if (refused !== undefined) return refused;
  return change(needs, 'rotate-connection', connectionId, (at) => rotateReferences(references, at), by);
}

/** Only what is new is tried: another secret may be unreadable, and is what the next rotation mends. */
async function unusableIn(
  known: AccountConnections,
  { id, doc }: ConnectionRow,
  { secretKey, webhookSecret, publishableKey }: NewReferences,
  by: Caller | undefined,
): Promise<Rejection | undefined> {
  if (doc.status !== 'active') return undefined; // the decision refuses it
  const secrets = {
    ...doc.secrets,
    ...(secretKey !== undefined && { secretKey }),
    ...(webhookSecret !== undefined && { webhookSecret }),
  };
  const row = { id, doc: { ...doc, secrets, ...(publishableKey !== undefined && { publishableKey }) } };
  const names = Object.entries({ secretKey, webhookSecret, publishableKey })
    .filter(([, reference]) => reference !== undefined)
    .map(([name]) => name);
  return unusable(known, row, names, by);
}

/**
 * Records the end of a run that tried the fences at the connection's server. NotFound; Conflict for a disabled one.
 */
export const recordRun = (
  needs: ConnectionNeeds,
  connectionId: string,
  hasPassed: boolean,
): Promise<Answer<ConnectionState>> =>
  change(needs, 'prove-connection', connectionId, () => recordProof(hasPassed), undefined);

/** No new payment begins by it. NotFound. */
export const disable = (needs: ConnectionNeeds, connectionId: string, by?: Caller): Promise<Answer<ConnectionState>> =>
  change(needs, 'disable-connection', connectionId, disableConnection, by);

/** The connection; undefined if there is none, or if it is not of the account of the user. */
async function ofCaller(
  { known }: ConnectionNeeds,
  connectionId: string,
  by?: Caller,
): Promise<ConnectionRow | undefined> {
  const row = await known.read(connectionId);
  return by === undefined || row?.doc.accountId === by.accountId ? row : undefined;
}

async function change(
  needs: ConnectionNeeds,
  name: string,
  connectionId: string,
  decide: (at: number) => (connection: ConnectionState) => Decision<ConnectionEvent>,
  by: Caller | undefined,
): Promise<Answer<ConnectionState>> {
  const row = await ofCaller(needs, connectionId, by);
  if (row === undefined) return missing(connectionId);
  const target = { streams: needs.connections, resource: { id: connectionId } };
  const changing = { name, accountId: row.doc.accountId, by };
  const changed = await changeFor(needs, changing, target, ({ context }) => decide(context.at));
  if (changed.kind === 'changed') await lookAgain(needs);
  return answerOf(changed);
}

/** Several calls to the processor, one after the other. */
const EXAMINE_WITHIN_MS = 20_000;

/**
 * The processor's own report on the account of a connection: a line that is not good if a secret cannot be used or
 * nothing is answered in time. `publicUrl`: under which the processor reaches the service, without a slash at its end.
 * NotFound; Conflict for a processor that cannot be asked.
 */
export async function examineConnection(
  needs: ConnectionNeeds,
  connectionId: string,
  by?: Caller,
  publicUrl = needs.publicUrl(),
): Promise<{ readonly kind: 'examined'; readonly lines: readonly Examined[] } | Rejection> {
  const row = await ofCaller(needs, connectionId, by);
  if (row === undefined) return missing(connectionId);
  const { processor: name, webhookKeyId } = row.doc;
  const processor = await needs.known.processor(name);
  if (processor?.examine === undefined)
    return reject('Conflict', `The processor ${name} cannot be asked about its accounts.`);
  const { examine } = processor;
  const failed = (what: string, value: string) => [{ name: what, value, isGood: false }];
  const lines = await within(needs.world, EXAMINE_WITHIN_MS, async (signal) => {
    const connection = await needs.known.resolved(row);
    const start = `${publicUrl}/webhooks/${name}/`;
    const isOwn =
      webhookKeyId === undefined ? () => false : await needs.access.pathsOf({ keyId: webhookKeyId, processor: name });
    const isOwnUrl = (url: string): boolean => url.startsWith(start) && isOwn(url.slice(start.length));
    return examine.call(processor, { connection, signal }, start, isOwnUrl);
  }).catch((fault: unknown) => {
    if (fault instanceof UnresolvedSecret) return failed('secret', by === undefined ? fault.message : fault.told);
    throw fault;
  });
  return {
    kind: 'examined',
    lines: lines === 'timeout' ? failed('account', `no answer within ${EXAMINE_WITHIN_MS / 1_000} s`) : lines,
  };
}
