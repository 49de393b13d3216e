// GET /events: the messages of the webhooks, for a receiver that has missed something (contract §8).
import { z } from 'zod';
import type { Webhooks } from '../../commands/webhooks/webhooks.ts';
import type { TellableMessage } from '../../domain/payment/message.ts';
import { bareEventId } from '../../domain/public-event-id.ts';
import type { Queries } from '../../queries/queries.ts';
import { bytesOf, MOST_ANSWER_BYTES, page } from '../answer-size.ts';
import { type PaymentMessageAnswer, PaymentMessageListAnswer, paymentMessageAnswer } from '../answers/messages.ts';
import { bindingOf, CursorText, readCursor, writeCursor } from '../cursor.ts';
import { type Route, route } from '../route.ts';
import { PageSize, pageSize } from './payment-filter.ts';

const AT_ONCE = 10;
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
    id: 'listEvents',
    example: { query: { limit: '1' } },
    summary: 'List the messages of the account after one of them, in order, to catch up with missed webhooks',
    request: z.object({
      query: z.strictObject({
        after: z.string().max(1_024).optional(),
        limit: PageSize,
        cursor: CursorText.optional(),
      }),
    }),
    answer: PaymentMessageListAnswer,
    errors: ['InvalidCursor'],
    async handle({ query: { after, limit, cursor } }, { caller: { accountId } }) {
      const binding = bindingOf('events', accountId, { after });
      const place = cursor === undefined ? undefined : readCursor(cursor, binding, Place);
      if (place !== undefined && 'kind' in place) return place;
      const from = place?.place ?? (after === undefined ? undefined : { eventId: bareEventId(after) });
      const read = await listMessages(accountId, from, pageSize(limit));
      if ('kind' in read) return read;
      const { rows, next } = read;
      const answerOf = async (message: TellableMessage): Promise<PaymentMessageAnswer> =>
        paymentMessageAnswer(message, await paymentTold(message));
      const told: PaymentMessageAnswer[] = [];
      // A large payment is folded as it was at each of its messages: those that an answer has no room for are not asked
      // for.
      for (
        let bytes = 0;
        told.length < rows.length && bytes <= MOST_ANSWER_BYTES;
        bytes += bytesOf(told.at(-1)) * AT_ONCE
      ) {
        const some = rows.slice(told.length, told.length + AT_ONCE);
        told.push(...(await Promise.all(some.map(({ id: eventId, doc }) => answerOf({ eventId, ...doc })))));
      }
      return page(
        told,
        (one) => one,
        (shown) => {
          const position = shown < rows.length ? rows[shown - 1]?.doc.position : next;
          return position === undefined ? {} : { nextCursor: writeCursor(binding, { position }) };
        },
      );
    },
  }),
];
