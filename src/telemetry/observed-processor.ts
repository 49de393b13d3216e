// A processor whose calls are counted, timed and traced, up to their deadline. Nothing of a card is told, nor any
// amount.
import type { Call, DisputeQuestion, Processor } from '../processors/processor.ts';
import type { ProcessorOperation } from './meters.ts';
import { type Sinks, within } from './sinks.ts';

/** The meaning of an answer that did not come (contract §4); to tokenize charges nothing. */
const UNANSWERED = { perform: 'unknown', lookUp: 'unreachable', tokenize: 'failed', prepare: 'unknown' } as const;
const ERRORS: ReadonlySet<string> = new Set(['unknown', 'unreachable', 'failed']);

type Verb = keyof typeof UNANSWERED;
/** The answer of a call: a word of the port, by its kind. */
interface ObservedAnswer {
  readonly kind: string;
}
interface ObservedCall {
  readonly verb: Verb;
  readonly operation: ProcessorOperation;
  readonly signal: AbortSignal;
  /** Ours; a tokenization has none that may be shown. */
  readonly reference?: string;
  readonly paymentId?: string;
}
/** Calls `work` once, and answers its answer. */
type Observe = <T extends ObservedAnswer>(call: ObservedCall, work: () => Promise<T>) => Promise<T>;

export function observedProcessor(processor: Processor, { meters, spans, world }: Sinks): Processor {
  const { name } = processor;
  return tellingOf(processor, ({ verb, operation, signal, reference, paymentId }, work) => {
    const attributes = {
      'counterfoil.processor': name,
      'counterfoil.operation': operation,
      ...(reference !== undefined && { 'counterfoil.reference': reference }),
      ...(paymentId !== undefined && { 'counterfoil.payment': paymentId }),
    };
    const span = spans?.start({ name: `${operation} ${name}`, kind: 'client', attributes });
    const start = world.monotonic();
    const called = within(span, work);
    void outcomeOf(verb, called, signal).then((outcome) => {
      meters?.processorCalled(name, operation, outcome, world.monotonic() - start);
      span?.set({ 'counterfoil.outcome': outcome });
      if (ERRORS.has(outcome)) span?.fail();
      span?.end();
    });
    return called;
  });
}

/** All its calls are observed, including those that only some processors have; whatever else it has is its own. */
function tellingOf(processor: Processor, observe: Observe): Processor {
  const { prepare, resume, dispute, lookUpDispute, fence } = processor;
  const of =
    <R extends { readonly reference: string; readonly paymentId?: string }, T extends ObservedAnswer>(
      verb: Verb,
      operation: (request: R) => ProcessorOperation,
      work: (request: R, call: Call) => Promise<T>,
    ) =>
    (request: R, call: Call): Promise<T> => {
      const { reference, paymentId } = request;
      const told = {
        verb,
        operation: operation(request),
        signal: call.signal,
        reference,
        ...(paymentId !== undefined && { paymentId }),
      };
      return observe(told, () => work.call(processor, request, call));
    };
  const observed: Partial<Processor> = {
    tokenize: (request, call) =>
      observe({ verb: 'tokenize', operation: 'tokenization', signal: call.signal }, () =>
        processor.tokenize(request, call),
      ),
    perform: of('perform', ({ operation }) => operation, processor.perform),
    lookUp: of('lookUp', () => 'look_up', processor.lookUp),
    ...(prepare && { prepare: of('prepare', () => 'preparation', prepare) }),
    ...(resume && { resume: of('perform', () => 'resumption', resume) }),
    ...(dispute && { dispute: of('perform', () => 'dispute', dispute) }),
    ...(lookUpDispute && {
      lookUpDispute: (question: DisputeQuestion, call: Call) =>
        observe({ verb: 'lookUp', operation: 'look_up', signal: call.signal }, () =>
          lookUpDispute.call(processor, question, call),
        ),
    }),
    ...(fence && { fence: of('lookUp', () => 'fence', fence) }),
  };
  // By a proxy, since a member that is copied by name is lost when the port gets a new one.
  return new Proxy(processor, {
    get(target, name) {
      if (Object.hasOwn(observed, name)) return Reflect.get(observed, name);
      const own: unknown = Reflect.get(target, name);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}

/**
 * Resolves to the kind of the answer, once it is there or the signal aborts (the deadline, after which the answer is
 * not awaited); never rejects, so that the call itself can go on to its caller untouched.
 */
async function outcomeOf(verb: Verb, call: Promise<ObservedAnswer>, signal: AbortSignal): Promise<string> {
  const stopped = new AbortController();
  const expired = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: stopped.signal });
  });
  const answer = await Promise.race([call.catch(() => undefined), expired]);
  stopped.abort();
  return answer?.kind ?? UNANSWERED[verb];
}
