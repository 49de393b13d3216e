// The account's incoming URLs for the dashboard, for processors that cannot send a header: made and revoked by its
// users; a URL is answered once.
import { z } from 'zod';
import type { AccessControl } from '../../../commands/access/access.ts';
import type { ExistingApiKey } from '../../../domain/api-key/state.ts';
import { reject } from '../../../domain/decider.ts';
import type { Processor } from '../../../processors/processor.ts';
import type { Queries } from '../../../queries/queries.ts';
import { page } from '../../answer-size.ts';
import { IncomingWebhookAnswer, incomingWebhookAnswer } from '../../answers/webhooks.ts';
import { forConfirmed, forRoles, found, notFound, type Route, route } from '../../route.ts';

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

export interface IncomingRouteNeeds
  extends Pick<AccessControl, 'addIncomingWebhook' | 'revokeIncomingWebhook'>,
    Pick<Queries, 'listApiKeys'> {
  readonly processors: ReadonlyMap<string, Processor>;
}

const PATH = '/dashboard/api/webhooks/incoming';
const common = { tag: 'Incoming webhooks' } as const;
const changes = { ...common, method: 'POST', scope: forConfirmed('owner', 'developer') } as const;
const params = z.object({ id: z.string().regex(/^key_[0-9a-f]{32}\.\d{1,9}$/) });

export function incomingWebhookRoutes(needs: IncomingRouteNeeds): readonly Route[] {
  const { processors, listApiKeys, addIncomingWebhook, revokeIncomingWebhook } = needs;
  const answerOf = (
    key: string,
    doc: ExistingApiKey,
    webhookId: string,
    at: number,
  ): IncomingWebhookAnswer | undefined => {
    const webhook = doc.webhooks?.find((one) => one.webhookId === webhookId);
    return webhook && incomingWebhookAnswer(key, doc, webhook, at);
  };
  return [
    route({
      ...common,
      method: 'GET',
      scope: forRoles('owner', 'developer'),
      path: PATH,
      summary: 'List the incoming URLs of the account without their tokens: active ones first, then the newest',
      request: z.object({}),
      answer: IncomingList,
      async handle(_request, { caller: { accountId, at } }) {
        const { keys, isCut } = await listApiKeys(accountId);
        const data = keys
          .flatMap(({ id, doc }) =>
            (doc.webhooks ?? []).map((one) => ({
              ...incomingWebhookAnswer(id, doc, one, at),
              keyName: doc.name,
              since: one.addedAt,
            })),
          )
          .toSorted(
            (one, other) =>
              Number(other.state === 'active') - Number(one.state === 'active') || other.since - one.since,
          )
          .map(({ since: _since, ...one }) => one);
        return page(
          data,
          (one) => one,
          (_shown, isOver) => ({ processors: [...processors.keys()], isCut: isCut || isOver }),
        );
      },
    }),
    route({
      ...changes,
      path: PATH,
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
        const made = await addIncomingWebhook(body, caller);
        if (made.kind === 'rejected') return made;
        const { id, doc, webhookId, token, replayed = false } = made;
        const incoming = doc.status === 'absent' ? undefined : answerOf(id, doc, webhookId, caller.at);
        if (incoming === undefined) return notFound();
        return { ...found({ incoming, path: `/webhooks/${processor}/${token}` }), ...(replayed && { replayed }) };
      },
    }),
    route({
      ...changes,
      path: `${PATH}/:id/revoke`,
      summary: 'Revoke an incoming URL permanently, effective immediately',
      request: z.object({ params }),
      answer: IncomingWebhookAnswer,
      async handle({ params: { id: webhookId } }, { caller }) {
        const revoked = await revokeIncomingWebhook(webhookId, caller);
        if (revoked.kind === 'rejected') return revoked;
        const { id, doc, replayed = false } = revoked;
        const incoming = doc.status === 'absent' ? undefined : answerOf(id, doc, webhookId, caller.at);
        return incoming === undefined ? notFound() : { ...found(incoming), ...(replayed && { replayed }) };
      },
    }),
  ];
}
