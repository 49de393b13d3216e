// The account's incoming URLs, for processors that cannot send a header: made and revoked by its
// users; a URL is answered once.
import { z } from 'zod';
import type { ApiKey } from '../../../domain/api-key.ts';
import { reject } from '../../../domain/decider.ts';
import { page } from '../../answer-size.ts';
import { IncomingWebhookAnswer, incomingWebhookAnswer } from '../../answers/webhooks.ts';
import { type Route, route, shaped } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import { MAY } from './ways.ts';

const IncomingList = z
  .strictObject({
    data: z.array(IncomingWebhookAnswer.extend({ keyName: z.string() })),
    /** The processors that may be named. */
    processors: z.array(z.string()),
    /** True if the account has more keys than were looked through. */
    isCut: z.boolean(),
  })
  .meta({ id: 'DashboardIncomingWebhooks' });
const IncomingMade = z
  .strictObject({
    incoming: IncomingWebhookAnswer,
    /** `/webhooks/<processor>/<token>`, below the URL of the service: it cannot be shown again. */
    path: z.string(),
  })
  .meta({ id: 'DashboardIncomingWebhookMade' });
const keyId = z.string().regex(/^key_[0-9a-f]{32}$/);
const NewIncoming = z
  .strictObject({
    processor: z.string().regex(/^[a-z0-9-]{1,64}$/),
    /** The API key that the URL stands for; it has the scope third_party:webhook_trigger. */
    keyId,
  })
  .meta({ id: 'DashboardNewIncomingWebhook' });

const PATH = '/dashboard/api/webhooks/incoming';
const common = { tag: 'Incoming webhooks', path: PATH } as const;
const changes = { ...common, method: 'POST', scope: MAY.incomingUrls.change } as const;
const params = z.object({ id: z.string().regex(/^key_[0-9a-f]{32}\.\d{1,9}$/) });

/** The URL as a change of its key left it. `at`: now, ms. */
function answerOf(keyId: string, key: ApiKey, webhookId: string, at: number): IncomingWebhookAnswer {
  const webhook = key.status === 'absent' ? undefined : key.webhooks?.find((one) => one.webhookId === webhookId);
  if (key.status === 'absent' || webhook === undefined) throw new TypeError('a command completed without a URL');
  return incomingWebhookAnswer(keyId, key, webhook, at);
}

export const incomingWebhookRoutes = ({ access, queries, processors }: RouteParts): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    scope: MAY.incomingUrls.read,
    summary: 'List the incoming URLs of the account without their tokens: active ones first, then the newest',
    request: z.object({}),
    answer: IncomingList,
    async handle(_request, { caller: { accountId, at } }) {
      const { keys, isCut } = await queries.listApiKeys(accountId);
      const all = keys
        .flatMap(({ id, doc }) =>
          (doc.webhooks ?? []).map((one) => ({ ...incomingWebhookAnswer(id, doc, one, at), keyName: doc.name })),
        )
        .toSorted(
          (one, other) =>
            Number(other.state === 'active') - Number(one.state === 'active') ||
            other.addedAt.localeCompare(one.addedAt),
        );
      return page(
        all,
        (one) => one,
        (_shown, isOver) => ({ processors: [...processors.keys()], isCut: isCut || isOver }),
      );
    },
  }),
  route({
    ...changes,
    summary: 'Create an incoming URL that acts as an API key; only this response contains the URL',
    request: z.object({ body: NewIncoming }),
    answer: IncomingMade,
    errors: ['Conflict'],
    async handle({ body }, { caller }) {
      const { processor } = body;
      if (!processors.has(processor)) {
        const description = `There is no processor ${processor}. Known processors: ${[...processors.keys()].join(', ') || 'none'}.`;
        return reject('RequestValidationError', description, { violations: [{ path: '$.processor', description }] });
      }
      return shaped(await access.addIncomingWebhook(body, caller), ({ id, doc, webhookId, token }) => ({
        incoming: answerOf(id, doc, webhookId, caller.at),
        path: `/webhooks/${processor}/${token}`,
      }));
    },
  }),
  route({
    ...changes,
    path: `${PATH}/:id/revoke`,
    summary: 'Revoke an incoming URL permanently, effective immediately',
    request: z.object({ params }),
    answer: IncomingWebhookAnswer,
    handle: async ({ params: { id: webhookId } }, { caller }) =>
      shaped(await access.revokeIncomingWebhook(webhookId, caller), ({ id, doc }) =>
        answerOf(id, doc, webhookId, caller.at),
      ),
  }),
];
