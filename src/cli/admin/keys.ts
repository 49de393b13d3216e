// The work of counterfoil keys. A key is never shown with its secret, unless the secret was just made.
import { type ExistingApiKey, isUsable, type KeyPurpose } from '../../domain/api-key.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { lastUses } from '../../projections/models/api-key-uses.ts';
import { apiKeys } from '../../projections/models/api-keys.ts';
import { allOf } from '../../queries/pages.ts';
import { formatTime } from '../../world.ts';
import type { GivenValues } from '../command.ts';
import { effective, existing } from '../effect.ts';
import { Refused } from '../exit.ts';
import { whichAccount, wholeId } from '../named.ts';
import type { Opened } from '../open/open.ts';
import type { CommandResult } from '../output.ts';
import type { keys as rows } from '../rows/access.ts';
import { listing, toMinute } from '../table.ts';

interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly accountId: string;
  readonly expiresAt: string | null;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly purpose: KeyPurpose;
  /** The scopes that a management key may grant. */
  readonly grants?: readonly string[];
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

const timeOf = (ms: number | undefined): string | null => (ms === undefined ? null : formatTime(ms));

/** `at`: now, ms. */
function keyView(id: string, key: ExistingApiKey, at: number): KeyView {
  const { name, scopes, accountId, purpose } = key;
  const state = key.status === 'revoked' ? 'revoked' : isUsable(key, at) ? 'active' : 'expired';
  const times = {
    expiresAt: timeOf(key.expiresAt),
    createdAt: formatTime(key.createdAt),
    revokedAt: timeOf(key.revokedAt),
  };
  return { id, name, scopes, ...(key.grants && { grants: key.grants }), accountId, state, purpose, ...times };
}

/** The secret of a key that was just made or rotated; it is shown only now. */
function withSecret(id: string, key: string, doc: ExistingApiKey): CommandResult {
  const { name, scopes, grants, accountId, expiresAt } = doc;
  return {
    json: { id, key, name, scopes, ...(grants && { grants }), accountId, expiresAt: timeOf(expiresAt) },
    text: key,
    notes: [`${id}: store the key now. It cannot be shown again.`],
  };
}

export async function create(given: GivenValues<typeof rows.create>, opened: Opened): Promise<CommandResult> {
  const { name, scopes = [], management = false, grants = [], expires } = given;
  const { service } = opened;
  const accountId = await whichAccount(opened, given);
  const request = { accountId, name, ...(expires !== undefined && { expiresInMs: expires }) };
  const answer = management
    ? await service.access.createManagementKey({ ...request, grants })
    : await service.access.createApiKey({ ...request, scopes });
  const made = await effective(service, apiKeys, answer);
  return withSecret(made.id, made.key, existing(made.doc));
}

export async function list(
  { account }: GivenValues<typeof rows.list>,
  { service, world }: Opened,
): Promise<CommandResult> {
  const { readModels } = service;
  const where = account === undefined ? {} : { accountId: [await wholeId(readModels, account)] };
  const keys: KeyView[] = [];
  for await (const { id, doc } of allOf(readModels, apiKeys, { where }))
    if (doc.status !== 'absent') keys.push(keyView(id, doc, world.now()));
  const uses = await lastUses(
    readModels,
    keys.map(({ id }) => id),
  );
  const data = keys.map((key) => ({ ...key, lastUsedAt: timeOf(uses.get(key.id)) }));
  const lines = data.map(({ id, name, state, lastUsedAt, accountId, expiresAt, scopes, grants }) => [
    id,
    name,
    state,
    lastUsedAt === null ? 'never' : toMinute(lastUsedAt),
    expiresAt === null ? 'never' : toMinute(expiresAt),
    accountId,
    grants === undefined ? named(scopes) : `management, grants ${named(grants)}`,
  ]);
  const headings = [
    'id',
    'name',
    'state',
    { spare: 'last used' },
    { spare: 'expires' },
    { spare: 'account' },
    'scopes',
  ];
  return { json: { data }, text: listing('API keys', headings, lines) };
}

const named = (scopes: readonly string[]): string =>
  scopes.length === SCOPES.length ? 'all' : scopes.join(', ') || 'none';

export async function setScopes(
  { id: text, scopes }: GivenValues<typeof rows.setScopes>,
  { service, world }: Opened,
): Promise<CommandResult> {
  const id = await wholeId(service.readModels, text);
  const { doc } = await effective(service, apiKeys, await service.access.setApiKeyScopes(id, scopes));
  const key = keyView(id, existing(doc), world.now());
  return { json: key, text: `${id} now has the scopes ${key.scopes.join(', ')}` };
}

export async function revoke(
  { id: text }: GivenValues<typeof rows.revoke>,
  { service, world }: Opened,
): Promise<CommandResult> {
  const id = await wholeId(service.readModels, text);
  const { doc } = await effective(service, apiKeys, await service.access.revokeApiKey(id));
  return { json: keyView(id, existing(doc), world.now()), text: `${id} is revoked.` };
}

/** The same id with a new secret; the old one stays good for a while. */
export async function rotate(
  { id: text, overlap }: GivenValues<typeof rows.rotate>,
  { service, sandbox }: Opened,
): Promise<CommandResult> {
  const id = await wholeId(service.readModels, text);
  const [before] = await service.readModels.get(apiKeys, [id]);
  if (sandbox === undefined && before?.doc.status !== 'absent' && before?.doc.purpose === 'sandbox') {
    throw new Refused(
      `${id} is the key of the sandbox, which is on another node. Rotate the key there, or name that node with COUNTERFOIL_SANDBOX_URL.`,
    );
  }
  const { doc: rotated, key } = await effective(service, apiKeys, await service.access.rotateApiKey(id, overlap));
  const doc = existing(rotated);
  // The sandbox signs in with its own key, so it has to know the new one.
  if (doc.purpose === 'sandbox') await sandbox?.connect({ accountId: doc.accountId, apiKey: key });
  return withSecret(id, key, doc);
}
