// The account's API keys for a management key: listed, read, created, rescoped, rotated and revoked. Management keys
// and the sandbox's own are not among them.
import { z } from 'zod';
import type { AccessControl } from '../../../commands/access/access.ts';
import type { ApiKeyMade } from '../../../commands/access/manage-api-keys.ts';
import type { Completed } from '../../../commands/caller.ts';
import { identifier } from '../../../commands/fields/text.ts';
import { MANAGEMENT, SCOPES } from '../../../domain/api-key/scopes.ts';
import type { ApiKey, ExistingApiKey } from '../../../domain/api-key/state.ts';
import type { Queries } from '../../../queries/queries.ts';
import { formatTime } from '../../../world.ts';
import { page } from '../../answer-size.ts';
import { overlapEnd, shownKey } from '../../answers/api-key.ts';
import type { Refusal } from '../../errors.ts';
import { found, notFound, type Reply, type Route, route, shaped } from '../../route.ts';

const time = z.iso.datetime({ precision: 3 });
const Scopes = z.array(z.enum(SCOPES)).meta({ description: 'The operations that the key may call.' });
const ManagedKey = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the key.' }),
    prefix: z.string().meta({ description: 'The beginning of its text, which tells a holder which key it has.' }),
    name: z.string().meta({ description: 'Its purpose.' }),
    scopes: Scopes,
    state: z.enum(['active', 'expired', 'revoked']).meta({ description: 'Only an active key is accepted.' }),
    createdAt: time.meta({ description: 'When it was created.' }),
    expiresAt: time.optional().meta({ description: 'From then on it is refused. Absent: it does not expire.' }),
    revokedAt: time.optional().meta({ description: 'When it was revoked.' }),
    lastUsedAt: time.optional().meta({ description: 'Its last use, to the minute; only in reads.' }),
    previousUntil: time.optional().meta({ description: 'After a rotation: the previous text is valid until then.' }),
  })
  .meta({ id: 'ManagedKey' });
type ManagedKey = z.output<typeof ManagedKey>;
const ManagedKeys = z
  .strictObject({
    data: z.array(ManagedKey).meta({ description: 'The newest first.' }),
    isCut: z.boolean().meta({ description: 'True if the account has more keys than the response.' }),
  })
  .meta({ id: 'ManagedKeys' });
const ManagedKeyMade = z
  .strictObject({
    apiKey: ManagedKey.meta({ description: 'The key, without its text.' }),
    text: z.string().meta({ description: 'The key itself, for `X-Api-Key`. It cannot be shown again.' }),
  })
  .meta({ id: 'ManagedKeyMade' });

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
const NewScopes = z.strictObject({ scopes: Scopes }).meta({ id: 'NewScopesOfManagedKey' });
const Rotation = z
  .strictObject({
    overlapMs: z.int().min(0).max(WEEK_MS).meta({ description: 'The time in which the previous text stays valid.' }),
  })
  .meta({ id: 'RotationOfManagedKey' });

export type ManagedKeyCommands = Pick<
  AccessControl,
  'createApiKey' | 'setApiKeyScopes' | 'rotateApiKey' | 'revokeApiKey'
>;
type KeyRouteNeeds = ManagedKeyCommands &
  Pick<Queries, 'listApiKeys' | 'readApiKey'> & { readonly mode: 'test' | 'live' };

const PATH = '/management/keys';
const reads = { tag: 'API keys', method: 'GET', scope: MANAGEMENT } as const;
const changes = { tag: 'API keys', method: 'POST', scope: MANAGEMENT } as const;
const params = z.object({
  id: z
    .string()
    .regex(/^key_[0-9a-f]{32}$/)
    .meta({ description: 'The id of the key.' }),
});

export function managedKeyRoutes(needs: KeyRouteNeeds): readonly Route[] {
  const { mode, listApiKeys, readApiKey, createApiKey, setApiKeyScopes, rotateApiKey, revokeApiKey } = needs;
  const answerOf = (id: string, doc: ExistingApiKey, at: number, lastUsedAt?: number): ManagedKey => {
    const { expiresAt, revokedAt } = doc;
    const previousUntil = overlapEnd(doc, at);
    return {
      ...shownKey(id, doc, mode, at),
      ...(expiresAt !== undefined && { expiresAt: formatTime(expiresAt) }),
      ...(revokedAt !== undefined && { revokedAt: formatTime(revokedAt) }),
      ...(lastUsedAt !== undefined && { lastUsedAt: formatTime(lastUsedAt) }),
      ...(previousUntil !== undefined && { previousUntil: formatTime(previousUntil) }),
    };
  };
  const changed = (done: Completed<ApiKey>, at: number): Reply<ManagedKey> | Refusal => {
    const { id, doc } = done;
    return doc.status === 'absent' ? notFound() : shaped(done, () => answerOf(id, doc, at));
  };
  const made = (done: ApiKeyMade, at: number): Reply<z.output<typeof ManagedKeyMade>> | Refusal => {
    const { id, doc, key: text } = done;
    return doc.status === 'absent' ? notFound() : shaped(done, () => ({ apiKey: answerOf(id, doc, at), text }));
  };
  return [
    route({
      ...reads,
      path: PATH,
      id: 'listManagedKeys',
      summary: 'List the API keys of the account, newest first, without their texts',
      request: z.object({}),
      answer: ManagedKeys,
      async handle(_request, { caller: { accountId, at } }) {
        const { keys, isCut } = await listApiKeys(accountId);
        return page(
          keys.filter(({ doc }) => doc.purpose === 'merchant'),
          ({ id, doc, lastUsedAt }) => answerOf(id, doc, at, lastUsedAt),
          (_shown, isOver) => ({ isCut: isCut || isOver }),
        );
      },
    }),
    route({
      ...reads,
      path: `${PATH}/:id`,
      id: 'getManagedKey',
      summary: 'Read an API key, without its text',
      request: z.object({ params }),
      answer: ManagedKey,
      async handle({ params: { id } }, { caller: { accountId, at } }) {
        const read = await readApiKey(id, accountId);
        return read === undefined || read.doc.purpose !== 'merchant'
          ? notFound()
          : found(answerOf(id, read.doc, at, read.lastUsedAt));
      },
    }),
    route({
      ...changes,
      path: PATH,
      id: 'createManagedKey',
      example: { body: { name: 'Shop backend', scopes: ['client_tokens:write', 'transactions:authorize'] } },
      summary: 'Create an API key with scopes that the management key may grant; only this response contains its text',
      request: z.object({ body: NewKey }),
      answer: ManagedKeyMade,
      async handle({ body: { name, scopes, expiresInMs } }, { caller }) {
        const { accountId, at } = caller;
        const request = { accountId, name, scopes, ...(expiresInMs !== undefined && { expiresInMs }) };
        const done = await createApiKey(request, caller);
        return done.kind === 'rejected' ? done : made(done, at);
      },
    }),
    route({
      ...changes,
      path: `${PATH}/:id/scopes`,
      id: 'setScopesOfManagedKey',
      example: { body: { scopes: ['transactions:retrieve'] } },
      summary: 'Replace the scopes of an API key by scopes that the management key may grant, effective immediately',
      request: z.object({ params, body: NewScopes }),
      answer: ManagedKey,
      errors: ['Conflict'],
      async handle({ params: { id }, body: { scopes } }, { caller }) {
        const done = await setApiKeyScopes(id, scopes, caller);
        return done.kind === 'rejected' ? done : changed(done, caller.at);
      },
    }),
    route({
      ...changes,
      path: `${PATH}/:id/rotate`,
      id: 'rotateManagedKey',
      example: { body: { overlapMs: 3_600_000 } },
      summary:
        'Give an API key a new text, which only this response contains; the previous text stays valid for a while',
      request: z.object({ params, body: Rotation }),
      answer: ManagedKeyMade,
      errors: ['Conflict'],
      async handle({ params: { id }, body: { overlapMs } }, { caller }) {
        const done = await rotateApiKey(id, overlapMs, caller);
        return done.kind === 'rejected' ? done : made(done, caller.at);
      },
    }),
    route({
      ...changes,
      path: `${PATH}/:id/revoke`,
      id: 'revokeManagedKey',
      summary: 'Revoke an API key permanently, effective immediately',
      request: z.object({ params }),
      answer: ManagedKey,
      async handle({ params: { id } }, { caller }) {
        const done = await revokeApiKey(id, caller);
        return done.kind === 'rejected' ? done : changed(done, caller.at);
      },
    }),
  ];
}
