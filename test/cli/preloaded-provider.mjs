// Loaded before a process of the command line, as an operator does it: registers a tracer provider that appends each
// span to the file SPANS, as a line.
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';

const exporter = {
  export(spans, done) {
    for (const { name, attributes } of spans)
      appendFileSync(process.env.SPANS, `${JSON.stringify({ name, attributes })}\n`);
    done({ code: 0 });
  },
  shutdown: async () => undefined,
};

// In batches that no test waits for: spans that a service does not export at its end are lost.
const spanProcessors = [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 3_600_000 })];
if (isMainThread) trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
