// The account's fault rules, and the kinds of faults that the sandbox can inject.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { type Asking, answerOf, api } from '../../app/api.ts';
import { KEYS } from '../../app/query-keys.ts';

const at = (connectionId: string | undefined) => ({
  params: { query: connectionId === undefined ? {} : { connectionId } },
});
const readFaults = (connectionId: string | undefined, { signal }: Asking) =>
  answerOf(api.GET('/dashboard/api/sandbox/faults', { ...at(connectionId), signal }));
export type Faults = Awaited<ReturnType<typeof readFaults>>;
export type FaultRule = Faults['rules'][number];

/** Loaded again regularly, because each rule counts the calls to which it was applied. */
export const faultsQuery = (connectionId: string | undefined) =>
  queryOptions({
    queryKey: [KEYS.sandboxControls, 'faults', connectionId ?? ''],
    queryFn: (asking) => readFaults(connectionId, asking),
    refetchInterval: 5_000,
  });

const readFurther = ({ signal }: Asking) => answerOf(api.GET('/dashboard/api/sandbox/connections', { signal }));
/** The account's further sandboxes; almost always none. */
export const furtherQuery = queryOptions({ queryKey: [KEYS.connections, 'sandboxes'], queryFn: readFurther });

const readKinds = ({ signal }: Asking) => answerOf(api.GET('/dashboard/api/sandbox/fault-kinds', { signal }));
export type FaultKinds = Awaited<ReturnType<typeof readKinds>>;

export const faultKindsQuery = queryOptions({
  queryKey: [KEYS.sandboxWords, 'fault-kinds'],
  queryFn: readKinds,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Replaces all rules; the sandbox counts from 0 again. */
export function useSetFaults(connectionId: string | undefined) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ rules, seed }: Pick<Faults, 'rules' | 'seed'>) =>
      answerOf(api.PUT('/dashboard/api/sandbox/faults', { ...at(connectionId), body: { seed, rules: [...rules] } })),
    onSuccess: (set) => queries.setQueryData(faultsQuery(connectionId).queryKey, set),
  });
}

/** `look_up` as `Look-up`. */
export function operationWords(operation: string): string {
  const words = operation === 'look_up' ? 'look-up' : operation.replaceAll('_', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** The words for how often a rule was applied. */
export function appliedWords(count: Faults['counts'][number] | undefined): string {
  if (count === undefined) return '';
  const { matched, applied, isUsedUp } = count;
  if (matched === 0) return 'no call yet';
  return `${isUsedUp ? 'used up: ' : ''}applied to ${applied} of ${matched} ${matched === 1 ? 'call' : 'calls'}`;
}
