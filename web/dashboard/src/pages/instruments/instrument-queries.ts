// What the pages of payment instruments ask of the API.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';
import type { InstrumentSearch } from './instrument-search.ts';

export type Instrument = components['schemas']['PaymentInstrument'];

const PAGE = 50;

export const instrumentsQuery = ({ customer_id }: InstrumentSearch) =>
  infiniteQueryOptions({
    queryKey: [KEYS.instruments, 'list', customer_id ?? ''],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = {
        limit: PAGE,
        ...(customer_id !== undefined && { customer_id }),
        ...(pageParam !== '' && { cursor: pageParam }),
      };
      return answerOf(api.GET('/dashboard/api/payment-instruments', { params: { query }, signal }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const instrumentQueryOf = (token: string) =>
  queryOptions({
    queryKey: [KEYS.instruments, 'one', token],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/payment-instruments/{token}', { params: { path: { token } }, signal })),
  });
