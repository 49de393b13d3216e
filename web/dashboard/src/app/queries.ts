// The cache of answers: what is shown is at most some seconds old, and a refusal is not asked again.
import { QueryClient } from '@tanstack/react-query';
import { ApiFault } from './api.ts';

const FRESH_MS = 5_000;
const TRIES = 2;

/** A fault of the network (its status is 0) or a 5xx may pass; a refusal stays what it is. */
const mayPass = (fault: Error): boolean => !(fault instanceof ApiFault) || fault.status === 0 || fault.status >= 500;

export const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: FRESH_MS, retry: (failures, fault) => failures < TRIES && mayPass(fault) },
    mutations: { retry: false },
  },
});
