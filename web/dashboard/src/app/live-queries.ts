// Answers that an event has made old: by its topic, the keys of the queries that are asked again.
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { type LiveMessage, useLive, useLiveState } from './live.ts';

/** By the topics of the stream: the first words of query keys. Figures are asked again with every payment that changes. */
const OLD: { readonly [topic: string]: readonly string[] } = {
  payment: ['payments', 'overview', 'client-sessions', 'streams', 'sandbox'],
  clientSession: ['client-sessions', 'streams'],
  paymentInstrument: ['instruments', 'streams'],
  apiKey: ['api-keys', 'streams'],
  user: ['users', 'me', 'account', 'streams'],
  account: ['me'],
  'signed-out': ['me'],
  notification: ['operations', 'streams'],
  act: ['operations', 'sandbox', 'streams'],
  tick: ['requests'],
  /** The stream begins, or begins again: what moves outside of the log was not told meanwhile. */
  hello: ['operations'],
};
/** Many events are one question: pages ask at most so often. */
const GATHERED_MS = 300;

/** Asks the shown queries again that an event has made old; in the frame, once. */
export function useLiveQueries(): void {
  const queries = useQueryClient();
  const topics = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hear = useCallback(
    ({ topic }: LiveMessage): void => {
      topics.current.add(topic);
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        const told = [...topics.current];
        topics.current.clear();
        if (told.includes('everything')) return void queries.invalidateQueries();
        const old = new Set(told.flatMap((one) => OLD[one] ?? []));
        if (old.size > 0)
          void queries.invalidateQueries({ predicate: ({ queryKey: [first] }) => typeof first === 'string' && old.has(first) });
      }, GATHERED_MS);
    },
    [queries],
  );
  useLive(hear);
  const state = useLiveState();
  useEffect(() => {
    // What could not be read meanwhile is read now; what is shown hears by the stream what it missed.
    if (state === 'live') void queries.refetchQueries({ type: 'active', predicate: (query) => query.state.status === 'error' });
  }, [queries, state]);
  useEffect(() => () => clearTimeout(timer.current), []);
}
