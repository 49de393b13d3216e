// GET /events: the messages of the webhooks, for a receiver that has missed something (contract §8).
import { z } from 'zod';
import { bareEventId } from '../../domain/category.ts';
import { bytesOf, MOST_ANSWER_BYTES } from '../answer-size.ts';
import {
  type AgreementMessageAnswer,
  agreementMessageAnswer,
  MessageListAnswer,
  type PaymentMessageAnswer,
  paymentMessageAnswer,
} from '../answers/messages.ts';
import { listed, paging } from '../list.ts';
import { type Route, route } from '../route.ts';
import type { RouteParts } from './parts.ts';

type MessageAnswer = PaymentMessageAnswer | AgreementMessageAnswer;

const AT_ONCE = 10;
const Place = z.strictObject({ position: z.int().min(0) });

export const eventRoutes = ({ queries, webhooks }: RouteParts): readonly Route[] => {
  type Row = Extract<Awaited<ReturnType<typeof queries.listMessages>>, { rows: unknown }>['rows'][number];
  const answerOf = async ({ id: eventId, doc }: Row): Promise<MessageAnswer> =>
    'paymentId' in doc
      ? paymentMessageAnswer({ eventId, ...doc }, await webhooks.paymentTold(doc))
      : agreementMessageAnswer({ eventId, ...doc }, await webhooks.agreementTold(doc));
  /**
   * A large payment is folded as it was at each of its messages: those that an answer has no room for are not asked
   * for.
   */
  const answersOf = async (rows: readonly Row[]): Promise<readonly MessageAnswer[]> => {
    const told: MessageAnswer[] = [];
    for (
      let bytes = 0;
      told.length < rows.length && bytes <= MOST_ANSWER_BYTES;
      bytes += bytesOf(told.at(-1)) * AT_ONCE
    )
      told.push(...(await Promise.all(rows.slice(told.length, told.length + AT_ONCE).map(answerOf))));
    return told;
  };
  return [
    route({
      tag: 'Events',
      method: 'GET',
      path: '/events',
      scope: 'transactions:retrieve',
      id: 'listEvents',
      example: { query: { limit: '1' } },
      summary: 'List the messages of the account after one of them, in order, to catch up with missed webhooks',
      request: z.object({ query: z.strictObject({ after: z.string().max(1_024).optional(), ...paging }) }),
      answer: MessageListAnswer,
      errors: ['InvalidCursor'],
      handle: ({ query: { after, ...query } }, { caller: { accountId } }) =>
        listed(query, {
          list: 'events',
          accountId,
          filters: { after },
          place: Place,
          async read(size, from) {
            const begin = from ?? (after === undefined ? undefined : { eventId: bareEventId(after) });
            const read = await queries.listMessages(accountId, begin, size);
            if ('kind' in read) return read;
            return { rows: read.rows, next: read.next === undefined ? undefined : { position: read.next } };
          },
          itemsOf: answersOf,
          placeOf: ({ doc: { position } }) => ({ position }),
        }),
    }),
  ];
};
