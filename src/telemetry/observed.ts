// The adapters of a service, with all that somebody wants to see of them: appends, calls of processors, and the work of
// commands and projections. Nothing of a card is told, nor any amount.
import type { Call, DisputeQuestion, Processor } from '../processors/processor.ts';
import type { Append, Appended, EventStore } from '../stores/event-store.ts';
import { StoreUnavailable } from '../stores/store-unavailable.ts';
import { categoryOf } from '../stores/stream-name.ts';
import type { AppendResult, ProcessorOperation } from './meters.ts';
import type { Observer } from './observer.ts';
import { faultType, inSpan, type Sinks, within } from './sinks.ts';

interface Observable {
  readonly events: EventStore;
  readonly processors: ReadonlyMap<string, Processor>;
  readonly openable?: ReadonlyMap<string, () => Promise<Processor>>;
}

/** Wraps the adapters so that they report to the sinks; their observer reports the work inside. */
export function observed<Adapters extends Observable>(
  adapters: Adapters,
  sinks: Sinks,
): Adapters & Observable & { readonly observer: Observer } {
  const processors = new Map([...adapters.processors].map(([name, one]) => [name, observedProcessor(one, sinks)]));
  const openable = new Map(
    [...(adapters.openable ?? [])].map(([name, open]) => [name, async () => observedProcessor(await open(), sinks)]),
  );
  return {
    ...adapters,
    events: observedEventStore(adapters.events, sinks),
    processors,
    openable,
    observer: observedWork(sinks),
  };
}

const NOTHING_MORE = (): void => undefined;

const observedWork = ({ meters, spans, world }: Sinks): Observer => ({
  transact(stream, work) {
    if (spans === undefined) return work();
    const start = {
      name: `transact ${categoryOf(stream)}`,
      kind: 'internal',
      attributes: { 'counterfoil.stream': stream },
    } as const;
    return inSpan(spans, start, work, (span, { kind }) => span.set({ 'counterfoil.result': kind }));
  },
  decidesAgain(category) {
    meters?.decidedAgain(category);
    spans?.event('decides again');
  },
  givesUp(category) {
    meters?.gaveUp(category);
    spans?.event('gives up');
  },
  circuit(processor, isOpen) {
    meters?.circuit(processor, isOpen);
    spans?.event('circuit', { 'counterfoil.processor': processor, 'counterfoil.open': isOpen });
  },
  limited(limit) {
    meters?.limited(limit);
    spans?.event('limited', { 'counterfoil.limit': limit });
  },
  left(kind, count) {
    meters?.left(kind, count);
  },
  async project(projection, events, work) {
    const begin = world.monotonic();
    const attributes = { 'counterfoil.projection': projection, 'counterfoil.events': events };
    if (spans === undefined) await work();
    else await inSpan(spans, { name: `project ${projection}`, kind: 'internal', attributes }, work, NOTHING_MORE);
    meters?.projected(projection, events, world.monotonic() - begin);
  },
});

function observedEventStore(store: EventStore, { meters, spans, world }: Sinks): EventStore {
  /** Counted for the category of each stream, as an append of its own; the span is of all. */
  const observed = async (appends: readonly Append[], append: () => Promise<Appended>): Promise<Appended> => {
    const categories = appends.map(({ stream }) => categoryOf(stream));
    const attributes = {
      'counterfoil.stream': appends.map(({ stream }) => stream).join(' '),
      'counterfoil.events': appends.reduce((sum, { events }) => sum + events.length, 0),
    };
    const span = spans?.start({ name: `append ${categories.join(' ')}`, kind: 'client', attributes });
    const start = world.monotonic();
    const ended = (result: AppendResult): void => {
      for (const category of categories) meters?.appended(category, result, world.monotonic() - start);
    };
    try {
      const result = await within(span, append);
      ended(result);
      span?.set({ 'counterfoil.result': result });
      return result;
    } catch (fault) {
      ended(resultOf(fault));
      span?.fail(faultType(fault));
      throw fault;
    } finally {
      span?.end();
    }
  };
  const { appendAll } = store;
  return {
    append: (stream, after, events) => observed([{ stream, after, events }], () => store.append(stream, after, events)),
    ...(appendAll !== undefined && { appendAll: (appends) => observed(appends, () => appendAll.call(store, appends)) }),
    read: (stream, after, most) => store.read(stream, after, most),
    follow: (after, categories, signal) => store.follow(after, categories, signal),
    ...(store.newest !== undefined && { newest: store.newest.bind(store) }),
    ...(store.spread !== undefined && { spread: store.spread.bind(store) }),
    head: () => store.head(),
    close: () => store.close(),
  };
}

/** How an append ended that threw. */
const resultOf = (fault: unknown): AppendResult =>
  fault instanceof StoreUnavailable ? (fault.outcomeUnknown ? 'unknown' : 'unavailable') : 'failed';

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
