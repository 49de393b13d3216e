// GET /events: what webhooks told, for a receiver that has missed something (contract §8).
import { z } from 'zod';
import type { Webhooks } from '../../commands/webhooks/webhooks.ts';
import type { TellableMessage } from '../../domain/payment/message.ts';
import { bareEventId } from '../../domain/public-event-id.ts';
import type { Queries } from '../../queries/queries.ts';
import { type PaymentMessageAnswer, PaymentMessageListAnswer, PublicEventId, paymentMessageAnswer } from '../answers/payment-message.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../cursor.ts';
import { found, type Route, route } from '../route.ts';
import { PageSize, pageSize } from './payment-filter.ts';

const Place = z.strictObject({ position: z.int().min(0) });

export const eventRoutes = ({
  listMessages,
  paymentTold,
}: Pick<Queries, 'listMessages'> & Pick<Webhooks, 'paymentTold'>): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'GET',
    path: '/events',
    scope: 'transactions:retrieve',
    summary: 'The messages of the account after one of them, in the order in which they happened: what webhooks tell, to catch up with',
    request: z.object({ query: z.strictObject({ after: PublicEventId.optional(), limit: PageSize, cursor: CursorText.optional() }) }),
    answer: PaymentMessageListAnswer,
    errors: ['InvalidCursor'],
    async handle({ query: { after, limit, cursor } }, { caller: { accountId } }) {
      const binding = bindingOf('events', accountId, { after });
      const place = cursor === undefined ? undefined : readCursor(cursor, binding, Place);
      if (place !== undefined && 'kind' in place) return place;
      const from = place?.place ?? (after === undefined ? undefined : { eventId: bareEventId(after) });
      const page = await listMessages(accountId, from, pageSize(limit));
      if ('kind' in page) return page;
      const { rows, next } = page;
      const answerOf = async (message: TellableMessage): Promise<PaymentMessageAnswer> =>
        paymentMessageAnswer(message, await paymentTold(message));
      const data = await Promise.all(rows.map(({ id: eventId, doc }) => answerOf({ eventId, ...doc })));
      return found({ data, ...(next !== undefined && { nextCursor: writeCursor(binding, { position: next }) }) });
    },
  }),
];
