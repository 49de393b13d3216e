// How a call to a processor ended, in one word, for whoever only watches it.

/** What an answer that did not come means (contract §4); to tokenize charges nothing. */
const UNANSWERED = { perform: 'unknown', lookUp: 'unreachable', tokenize: 'failed', prepare: 'unknown' } as const;

export type Verb = keyof typeof UNANSWERED;
/** What a call answers: a word of the port, by its kind. */
export interface Answered {
  readonly kind: string;
}

/**
 * Resolves to the kind of the answer, once it is there or the signal aborts (the deadline, behind which nobody waits for it);
 * never rejects, so that the call itself can go on to its caller untouched.
 */
export async function outcomeOf(verb: Verb, call: Promise<Answered>, signal: AbortSignal): Promise<string> {
  const stopped = new AbortController();
  const expired = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: stopped.signal });
  });
  const answer = await Promise.race([call.catch(() => undefined), expired]);
  stopped.abort();
  return answer?.kind ?? UNANSWERED[verb];
}
