// A tracer provider whose spans a test can look at, registered as an operator's `--import` does it: globally, before
// the service opens.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type ContextManager,
  context,
  propagation,
  ROOT_CONTEXT,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** Async functions keep their context, as @opentelemetry/context-async-hooks does it. */
class LocalContext implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    active: Context,
    fn: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ) {
    return this.#storage.run(active, () => fn.apply(thisArg, args));
  }
  bind<T>(_active: Context, target: T): T {
    return target;
  }
  enable(): this {
    return this;
  }
  disable(): this {
    this.#storage.disable();
    return this;
  }
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** As much of W3C trace context as a caller sends. */
const traceContext: TextMapPropagator = {
  inject: () => undefined,
  fields: () => ['traceparent'],
  extract(into, carrier, getter) {
    const header = getter.get(carrier, 'traceparent');
    const [, traceId, spanId, flags] = TRACEPARENT.exec(typeof header === 'string' ? header : '') ?? [];
    if (traceId === undefined || spanId === undefined || flags === undefined) return into;
    return trace.setSpanContext(into, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true });
  },
};

export interface RecordedSpans {
  /** The spans that have ended, the first to end first. */
  readonly ended: () => readonly ReadableSpan[];
  readonly forget: () => void;
  /** Takes the provider out again. */
  readonly stop: () => Promise<void>;
}

export function recordSpans(): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new LocalContext());
  propagation.setGlobalPropagator(traceContext);
  return {
    ended: () => exporter.getFinishedSpans(),
    forget: () => exporter.reset(),
    async stop() {
      trace.disable();
      context.disable();
      propagation.disable();
      await provider.shutdown();
    },
  };
}
