// The account's API keys for the dashboard: made, rescoped, rotated and revoked by its users; a key's text is answered
// once.
import { z } from 'zod';
import type { AccessControl } from '../../../commands/access/access.ts';
import type { ApiKeyMade } from '../../../commands/access/manage-api-keys.ts';
import type { Completed } from '../../../commands/caller.ts';
import { inOrder, SCOPES } from '../../../domain/api-key/scopes.ts';
import type { ApiKey, ExistingApiKey } from '../../../domain/api-key/state.ts';
import type { Queries } from '../../../queries/queries.ts';
import { formatTime } from '../../../world.ts';
import { page } from '../../answer-size.ts';
import { overlapEnd, shownKey } from '../../answers/api-key.ts';
import { forConfirmed, forRoles, found, notFound, type Route, route } from '../../route.ts';

const time = z.iso.datetime({ precision: 3 });
const Scopes = z.array(z.enum(SCOPES));
const ApiKeyAnswer = z
  .strictObject({
    id: z.string(),
    /** The beginning of the key's text, by which a holder of the key finds it here. */
    prefix: z.string(),
    name: z.string(),
    scopes: Scopes,
    state: z.enum(['active', 'expired', 'revoked']),
    /**
     * `sandbox`: the sandbox signs in with it, and nobody changes it here. `management`: it calls /management, and
     * owners alone change it.
     */
    purpose: z.enum(['merchant', 'sandbox', 'management']),
    /** The scopes that a management key may give to other keys; only it has them. */
    grants: Scopes.optional(),
    createdAt: time,
    expiresAt: time.nullable(),
    revokedAt: time.nullable(),
    /** To the minute; null for a key that was never used. */
    lastUsedAt: time.nullable(),
    /** After a rotation: the previous text is valid until then. */
    previousUntil: time.nullable(),
  })
  .meta({ id: 'DashboardApiKey' });
const ApiKeyList = z
  .strictObject({
    data: z.array(ApiKeyAnswer).readonly(),
    /** True if the account has more than are listed. */
    isCut: z.boolean(),
  })
  .meta({ id: 'DashboardApiKeys' });
const ApiKeyMadeAnswer = z
  .strictObject({
    apiKey: ApiKeyAnswer,
    /** The key itself: it cannot be shown again. */
    text: z.string(),
  })
  .meta({ id: 'DashboardApiKeyMade' });

const YEAR_MS = 366 * 86_400_000;
const WEEK_MS = 7 * 86_400_000;
const NewApiKey = z
  .strictObject({
    name: z.string().trim().min(1).max(255),
    scopes: Scopes.min(1),
    /** From now; left out, the key does not expire. */
    expiresInMs: z.int().min(60_000).max(YEAR_MS).optional(),
  })
  .meta({ id: 'DashboardNewApiKey' });
const NewManagementKey = NewApiKey.omit({ scopes: true })
  .extend({
    /** None: the key creates no keys. */
    grants: Scopes,
  })
  .meta({ id: 'DashboardNewManagementKey' });
const NewScopes = z.strictObject({ scopes: Scopes }).meta({ id: 'DashboardNewScopes' });
const Rotation = z
  .strictObject({
    /** How long the previous text stays valid. */
    overlapMs: z.int().min(0).max(WEEK_MS),
  })
  .meta({ id: 'DashboardRotation' });

export type KeyCommands = Pick<
  AccessControl,
  | 'createApiKey'
  | 'setApiKeyScopes'
  | 'rotateApiKey'
  | 'revokeApiKey'
  | 'createManagementKey'
  | 'rotateManagementKey'
  | 'revokeManagementKey'
>;
type KeyQueries = Pick<Queries, 'listApiKeys'>;
type ApiKeyRouteNeeds = KeyCommands & KeyQueries & { readonly mode: 'test' | 'live' };

const PATH = '/dashboard/api/keys';
const MANAGEMENT_PATH = '/dashboard/api/management-keys';
const common = { tag: 'API keys' } as const;
const reads = { ...common, method: 'GET', scope: forRoles('owner', 'developer') } as const;
const changes = { ...common, method: 'POST', scope: forConfirmed('owner', 'developer') } as const;
/** A management key can invite users, so only owners create one or see its text. */
const owners = { ...changes, scope: forConfirmed('owner') } as const;
const params = z.object({ id: z.string().regex(/^key_[0-9a-f]{32}$/) });

const timeOf = (ms: number | undefined): string | null => (ms === undefined ? null : formatTime(ms));

function answerOf(
  id: string,
  doc: ExistingApiKey,
  mode: 'test' | 'live',
  at: number,
  lastUsedAt?: number,
): z.input<typeof ApiKeyAnswer> {
  const { purpose, grants, expiresAt, revokedAt } = doc;
  return {
    ...shownKey(id, doc, mode, at),
    purpose,
    ...(grants !== undefined && { grants: inOrder(grants) }),
    expiresAt: timeOf(expiresAt),
    revokedAt: timeOf(revokedAt),
    lastUsedAt: timeOf(lastUsedAt),
    previousUntil: timeOf(overlapEnd(doc, at)),
  };
}

export function apiKeyRoutes(needs: ApiKeyRouteNeeds): readonly Route[] {
  const { mode, listApiKeys, createApiKey, setApiKeyScopes, rotateApiKey, revokeApiKey } = needs;
  const { createManagementKey, rotateManagementKey, revokeManagementKey } = needs;
  const changed = ({ id, doc, replayed }: Completed<ApiKey>, at: number) =>
    doc.status === 'absent'
      ? notFound()
      : { ...found(answerOf(id, doc, mode, at)), ...(replayed === true && { replayed }) };
  const made = ({ id, doc, key: text, replayed }: ApiKeyMade, at: number) =>
    doc.status === 'absent'
      ? notFound()
      : { ...found({ apiKey: answerOf(id, doc, mode, at), text }), ...(replayed === true && { replayed }) };
  return [
    route({
      ...reads,
      path: PATH,
      summary: 'List the API keys of the account, newest first, without their secrets',
      request: z.object({}),
      answer: ApiKeyList,
      async handle(_request, { caller: { accountId, at } }) {
        const { keys, isCut } = await listApiKeys(accountId);
        return page(
          keys,
          ({ id, doc, lastUsedAt }) => answerOf(id, doc, mode, at, lastUsedAt),
          (_shown, isOver) => ({ isCut: isCut || isOver }),
        );
      },
    }),
    route({
      ...changes,
      path: PATH,
      summary: 'Create an API key; only this response contains its text',
      request: z.object({ body: NewApiKey }),
      answer: ApiKeyMadeAnswer,
      async handle({ body: { name, scopes, expiresInMs } }, { caller }) {
        const { accountId, at } = caller;
        const result = await createApiKey(
          { accountId, name, scopes, ...(expiresInMs !== undefined && { expiresInMs }) },
          caller,
        );
        return result.kind === 'rejected' ? result : made(result, at);
      },
    }),
    route({
      ...changes,
      path: `${PATH}/:id/scopes`,
      summary: 'Replace the scopes of an API key, effective immediately',
      request: z.object({ params, body: NewScopes }),
      answer: ApiKeyAnswer,
      errors: ['Conflict'],
      async handle({ params: { id }, body: { scopes } }, { caller }) {
        const result = await setApiKeyScopes(id, scopes, caller);
        return result.kind === 'rejected' ? result : changed(result, caller.at);
      },
    }),
    route({
      ...changes,
      path: `${PATH}/:id/rotate`,
      summary:
        'Rotate an API key; only this response contains the new text, and the previous text stays valid for a while',
      request: z.object({ params, body: Rotation }),
      answer: ApiKeyMadeAnswer,
      errors: ['Conflict'],
      async handle({ params: { id }, body: { overlapMs } }, { caller }) {
        const result = await rotateApiKey(id, overlapMs, caller);
        return result.kind === 'rejected' ? result : made(result, caller.at);
      },
    }),
    route({
      ...changes,
      path: `${PATH}/:id/revoke`,
      summary: 'Revoke an API key permanently, effective immediately',
      request: z.object({ params }),
      answer: ApiKeyAnswer,
      async handle({ params: { id } }, { caller }) {
        const result = await revokeApiKey(id, caller);
        return result.kind === 'rejected' ? result : changed(result, caller.at);
      },
    }),
    route({
      ...owners,
      path: MANAGEMENT_PATH,
      summary: 'Create a management key; only this response contains its text',
      request: z.object({ body: NewManagementKey }),
      answer: ApiKeyMadeAnswer,
      async handle({ body: { name, grants, expiresInMs } }, { caller }) {
        const { accountId, at } = caller;
        const result = await createManagementKey(
          { accountId, name, grants, ...(expiresInMs !== undefined && { expiresInMs }) },
          caller,
        );
        return result.kind === 'rejected' ? result : made(result, at);
      },
    }),
    route({
      ...owners,
      path: `${MANAGEMENT_PATH}/:id/rotate`,
      summary:
        'Rotate a management key; only this response contains the new text, and the previous text stays valid for a while',
      request: z.object({ params, body: Rotation }),
      answer: ApiKeyMadeAnswer,
      errors: ['Conflict'],
      async handle({ params: { id }, body: { overlapMs } }, { caller }) {
        const result = await rotateManagementKey(id, overlapMs, caller);
        return result.kind === 'rejected' ? result : made(result, caller.at);
      },
    }),
    route({
      ...owners,
      path: `${MANAGEMENT_PATH}/:id/revoke`,
      summary: 'Revoke a management key permanently, effective immediately',
      request: z.object({ params }),
      answer: ApiKeyAnswer,
      async handle({ params: { id } }, { caller }) {
        const result = await revokeManagementKey(id, caller);
        return result.kind === 'rejected' ? result : changed(result, caller.at);
      },
    }),
  ];
}
