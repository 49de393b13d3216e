// The account's API keys: listed, read, created, rescoped, rotated and revoked; a key's text is answered once. A
// program sees neither management keys nor the sandbox's own.
import { z } from 'zod';
import type { ApiKeyMade } from '../../../commands/access/manage-api-keys.ts';
import type { Completed } from '../../../commands/caller.ts';
import { identifier } from '../../../commands/fields/text.ts';
import { type ApiKey, type ExistingApiKey, isUsable } from '../../../domain/api-key.ts';
import type { Rejection } from '../../../domain/decider.ts';
import { inOrder, SCOPES } from '../../../domain/scopes.ts';
import { page } from '../../answer-size.ts';
import { Instant, instantOf } from '../../answers/shapes.ts';
import { found, notFound, type Route, route, shaped } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import { MAY, type Way } from './ways.ts';

const Scopes = z.array(z.enum(SCOPES)).meta({ description: 'The operations that the key may call.' });
const ManagedKey = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the key.' }),
    prefix: z.string().meta({ description: 'The beginning of its text, which tells a holder which key it has.' }),
    name: z.string().meta({ description: 'Its purpose.' }),
    scopes: Scopes,
    state: z.enum(['active', 'expired', 'revoked']).meta({ description: 'Only an active key is accepted.' }),
    createdAt: Instant.meta({ description: 'When it was created.' }),
    expiresAt: Instant.optional().meta({ description: 'From then on it is refused. Absent: it does not expire.' }),
    revokedAt: Instant.optional().meta({ description: 'When it was revoked.' }),
    lastUsedAt: Instant.optional().meta({ description: 'Its last use, to the minute; only in reads.' }),
    previousUntil: Instant.optional().meta({ description: 'After a rotation: the previous text is valid until then.' }),
  })
  .meta({ id: 'ManagedKey' });
type ManagedKey = z.output<typeof ManagedKey>;
/** As users see it. */
const UsersKey = ManagedKey.extend({
  /**
   * `sandbox`: the sandbox signs in with it, and nobody changes it here. `management`: it calls /management, and owners
   * alone change it.
   */
  purpose: z.enum(['merchant', 'sandbox', 'management']),
  /** The scopes that a management key may give to other keys; only it has them. */
  grants: Scopes.optional(),
}).meta({ id: 'ManagedKey' });

const YEAR_MS = 366 * 86_400_000;
const WEEK_MS = 7 * 86_400_000;
const NewKey = z
  .strictObject({
    name: identifier.meta({ description: 'Its purpose, 1 to 255 characters.' }),
    scopes: Scopes.min(1),
    expiresInMs: z
      .int()
      .min(60_000)
      .max(YEAR_MS)
      .optional()
      .meta({ description: 'The lifetime in milliseconds. Absent: the key does not expire.' }),
  })
  .meta({ id: 'NewManagedKey' });
const NewManagementKey = NewKey.omit({ scopes: true })
  .extend({
    /** None: the key creates no keys. */
    grants: Scopes,
  })
  .meta({ id: 'NewManagementKey' });
const NewScopes = z.strictObject({ scopes: Scopes }).meta({ id: 'NewScopesOfManagedKey' });
const Rotation = z
  .strictObject({
    overlapMs: z.int().min(0).max(WEEK_MS).meta({ description: 'The time in which the previous text stays valid.' }),
  })
  .meta({ id: 'RotationOfManagedKey' });

const params = z.object({
  id: z
    .string()
    .regex(/^key_[0-9a-f]{32}$/)
    .meta({ description: 'The id of the key.' }),
});

const PREFIX_DIGITS = 6;

/** `at`: now, ms. */
function keyAnswer(
  id: string,
  doc: ExistingApiKey,
  mode: 'test' | 'live',
  at: number,
  lastUsedAt?: number,
): ManagedKey {
  const { name, scopes, status, createdAt, expiresAt, revokedAt, previous } = doc;
  const isActive = isUsable(doc, at);
  return {
    id,
    prefix: `cf_${mode}_${id.slice('key_'.length).slice(0, PREFIX_DIGITS)}`,
    name,
    scopes: inOrder(scopes),
    state: status === 'revoked' ? 'revoked' : isActive ? 'active' : 'expired',
    createdAt: instantOf(createdAt),
    expiresAt: instantOf(expiresAt),
    revokedAt: instantOf(revokedAt),
    lastUsedAt: instantOf(lastUsedAt),
    previousUntil:
      isActive && previous !== undefined && at < previous.expiresAt ? instantOf(previous.expiresAt) : undefined,
  };
}

/** The answers of one way. */
function answersOf({ isForUsers }: Way, mode: 'test' | 'live') {
  const Key: z.ZodType<ManagedKey> = isForUsers ? UsersKey : ManagedKey;
  const keyOf = (id: string, doc: ExistingApiKey, at: number, lastUsedAt?: number): ManagedKey => {
    const key = keyAnswer(id, doc, mode, at, lastUsedAt);
    if (!isForUsers) return key;
    const { purpose, grants } = doc;
    return Object.assign(key, { purpose, grants: grants && inOrder(grants) });
  };
  return {
    Key,
    keyOf,
    Keys: z
      .strictObject({
        data: z.array(Key).meta({ description: 'The newest first.' }),
        isCut: z.boolean().meta({ description: 'True if the account has more keys than the response.' }),
      })
      .meta({ id: 'ManagedKeys' }),
    KeyMade: z
      .strictObject({
        apiKey: Key.meta({ description: 'The key, without its text.' }),
        text: z.string().meta({ description: 'The key itself, for `X-Api-Key`. It cannot be shown again.' }),
      })
      .meta({ id: 'ManagedKeyMade' }),
    isShown: ({ purpose }: ExistingApiKey): boolean => isForUsers || purpose === 'merchant',
    changed: (done: Completed<ApiKey> | Rejection, at: number) =>
      shaped(done, ({ id, doc }) => keyOf(id, existing(doc), at)),
    made: (done: ApiKeyMade | Rejection, at: number) =>
      shaped(done, ({ id, doc, key: text }) => ({ apiKey: keyOf(id, existing(doc), at), text })),
  };
}

/** A command that completed has a key. */
function existing(key: ApiKey): ExistingApiKey {
  if (key.status === 'absent') throw new TypeError('a command completed without a key');
  return key;
}

export function apiKeyRoutes(way: Way, { access, queries, mode }: RouteParts): readonly Route[] {
  const { Key, Keys, KeyMade, keyOf, isShown, changed, made } = answersOf(way, mode);
  const path = `${way.prefix}/keys`;
  const reads = { tag: 'API keys', method: 'GET', scope: way.may.keys.read } as const;
  const changes = { tag: 'API keys', method: 'POST', scope: way.may.keys.change } as const;
  return [
    route({
      ...reads,
      path,
      id: 'listManagedKeys',
      summary: 'List the API keys of the account, newest first, without their texts',
      request: z.object({}),
      answer: Keys,
      async handle(_request, { caller: { accountId, at } }) {
        const { keys, isCut } = await queries.listApiKeys(accountId);
        return page(
          keys.filter(({ doc }) => isShown(doc)),
          ({ id, doc, lastUsedAt }) => keyOf(id, doc, at, lastUsedAt),
          (_shown, isOver) => ({ isCut: isCut || isOver }),
        );
      },
    }),
    route({
      ...reads,
      path: `${path}/:id`,
      id: 'getManagedKey',
      summary: 'Read an API key, without its text',
      request: z.object({ params }),
      answer: Key,
      async handle({ params: { id } }, { caller: { accountId, at } }) {
        const read = await queries.readApiKey(id, accountId);
        return read === undefined || !isShown(read.doc) ? notFound() : found(keyOf(id, read.doc, at, read.lastUsedAt));
      },
    }),
    route({
      ...changes,
      path,
      id: 'createManagedKey',
      example: { body: { name: 'Shop backend', scopes: ['client_tokens:write', 'transactions:authorize'] } },
      summary: 'Create an API key with scopes that the management key may grant; only this response contains its text',
      request: z.object({ body: NewKey }),
      answer: KeyMade,
      handle: async ({ body }, { caller }) =>
        made(await access.createApiKey({ accountId: caller.accountId, ...body }, caller), caller.at),
    }),
    route({
      ...changes,
      path: `${path}/:id/scopes`,
      id: 'setScopesOfManagedKey',
      example: { body: { scopes: ['transactions:retrieve'] } },
      summary: 'Replace the scopes of an API key by scopes that the management key may grant, effective immediately',
      request: z.object({ params, body: NewScopes }),
      answer: Key,
      errors: ['Conflict'],
      handle: async ({ params: { id }, body: { scopes } }, { caller }) =>
        changed(await access.setApiKeyScopes(id, scopes, caller), caller.at),
    }),
    route({
      ...changes,
      path: `${path}/:id/rotate`,
      id: 'rotateManagedKey',
      example: { body: { overlapMs: 3_600_000 } },
      summary:
        'Give an API key a new text, which only this response contains; the previous text stays valid for a while',
      request: z.object({ params, body: Rotation }),
      answer: KeyMade,
      errors: ['Conflict'],
      handle: async ({ params: { id }, body: { overlapMs } }, { caller }) =>
        made(await access.rotateApiKey(id, overlapMs, caller), caller.at),
    }),
    route({
      ...changes,
      path: `${path}/:id/revoke`,
      id: 'revokeManagedKey',
      summary: 'Revoke an API key permanently, effective immediately',
      request: z.object({ params }),
      answer: Key,
      handle: async ({ params: { id } }, { caller }) => changed(await access.revokeApiKey(id, caller), caller.at),
    }),
  ];
}

/** Management keys, for users alone. */
export function managementKeyRoutes(way: Way, { access, mode }: RouteParts): readonly Route[] {
  const { Key, KeyMade, changed, made } = answersOf(way, mode);
  const path = `${way.prefix}/management-keys`;
  const common = { tag: 'API keys', method: 'POST', scope: MAY.managementKeys.change } as const;
  return [
    route({
      ...common,
      path,
      summary: 'Create a management key; only this response contains its text',
      request: z.object({ body: NewManagementKey }),
      answer: KeyMade,
      handle: async ({ body }, { caller }) =>
        made(await access.createManagementKey({ accountId: caller.accountId, ...body }, caller), caller.at),
    }),
    route({
      ...common,
      path: `${path}/:id/rotate`,
      summary:
        'Rotate a management key; only this response contains the new text, and the previous text stays valid for a while',
      request: z.object({ params, body: Rotation }),
      answer: KeyMade,
      errors: ['Conflict'],
      handle: async ({ params: { id }, body: { overlapMs } }, { caller }) =>
        made(await access.rotateManagementKey(id, overlapMs, caller), caller.at),
    }),
    route({
      ...common,
      path: `${path}/:id/revoke`,
      summary: 'Revoke a management key permanently, effective immediately',
      request: z.object({ params }),
      answer: Key,
      handle: async ({ params: { id } }, { caller }) =>
        changed(await access.revokeManagementKey(id, caller), caller.at),
    }),
  ];
}
