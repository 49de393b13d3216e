// The cache of answers: what is shown is at most some seconds old, and a refusal is not asked again.
import { type Query, QueryClient } from '@tanstack/react-query';
import { ApiFault } from './api.ts';
import { isLong } from './query-keys.ts';

const FRESH_MS = 5_000;
const TRIES = 2;

/** A fault of the network (its status is 0) or a 5xx may pass; a refusal stays what it is. */
const mayPass = (fault: Error): boolean => !(fault instanceof ApiFault) || fault.status === 0 || fault.status >= 500;

/** A long list is read anew when its reader asks, and page by page at that. */
const isShort = ({ state }: Query): boolean => !isLong(state.data);
const BY_ITSELF = { refetchOnMount: isShort, refetchOnWindowFocus: isShort, refetchOnReconnect: isShort };

export const queries = new QueryClient({
  defaultOptions: {
    queries: { ...BY_ITSELF, staleTime: FRESH_MS, retry: (failures, fault) => failures < TRIES && mayPass(fault) },
    mutations: { retry: false },
  },
});
