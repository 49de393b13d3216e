// A processor that tells of each of its calls, those that only some processors have included; what it reads is not told.
import type { Call, Processor } from '../processors/processor.ts';
import type { ProcessorOperation } from './meters.ts';
import type { Answered, Verb } from './processor-outcome.ts';

export interface WatchedCall {
  readonly verb: Verb;
  readonly operation: ProcessorOperation;
  readonly signal: AbortSignal;
  /** Ours; a tokenization has none that may be told. */
  readonly reference?: string;
  readonly paymentId?: string;
}
/** Calls `work` once, and answers what it answers. */
export type Watch = <T extends Answered>(call: WatchedCall, work: () => Promise<T>) => Promise<T>;

export function watchedProcessor(processor: Processor, watch: Watch): Processor {
  const { name, consistencyWindowMs, prepare, resume, dispute, fence } = processor;
  const of =
    <R extends { readonly reference: string; readonly paymentId?: string }, T extends Answered>(
      verb: Verb,
      operation: (request: R) => ProcessorOperation,
      work: (request: R, call: Call) => Promise<T>,
    ) =>
    (request: R, call: Call): Promise<T> => {
      const { reference, paymentId } = request;
      const told = { verb, operation: operation(request), signal: call.signal, reference, ...(paymentId !== undefined && { paymentId }) };
      return watch(told, () => work.call(processor, request, call));
    };
  return {
    name,
    consistencyWindowMs,
    capabilities: (connection, payment) => processor.capabilities(connection, payment),
    tokenize: (request, call) =>
      watch({ verb: 'tokenize', operation: 'tokenization', signal: call.signal }, () => processor.tokenize(request, call)),
    perform: of('perform', ({ operation }) => operation, processor.perform),
    lookUp: of('lookUp', () => 'look_up', processor.lookUp),
    ...(prepare && { prepare: of('prepare', () => 'preparation', prepare) }),
    ...(resume && { resume: of('perform', () => 'resumption', resume) }),
    ...(dispute && { dispute: of('perform', () => 'dispute', dispute) }),
    ...(fence && { fence: of('lookUp', () => 'fence', fence) }),
    notifications: (raw, headers, connection, now) => processor.notifications(raw, headers, connection, now),
    reread: (raw) => processor.reread(raw),
  };
}
