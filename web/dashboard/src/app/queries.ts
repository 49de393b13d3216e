// The cache of responses. Shown data is at most some seconds old, and a refused request is not repeated.
import { type Query, QueryClient } from '@tanstack/react-query';
import { ApiFault } from './api.ts';
import { isLong } from './query-keys.ts';

const FRESH_MS = 5_000;
const TRIES = 2;

/** An error of the network (status 0) or a 5xx may pass. A refusal is final. */
const mayPass = (fault: Error): boolean => !(fault instanceof ApiFault) || fault.status === 0 || fault.status >= 500;

/** A long list is loaded again only when its reader asks, page by page. */
const isShort = ({ state }: Query): boolean => !isLong(state.data);
const BY_ITSELF = { refetchOnMount: isShort, refetchOnWindowFocus: isShort, refetchOnReconnect: isShort };

export const queries = new QueryClient({
  defaultOptions: {
    queries: { ...BY_ITSELF, staleTime: FRESH_MS, retry: (failures, fault) => failures < TRIES && mayPass(fault) },
    mutations: { retry: false },
  },
});
