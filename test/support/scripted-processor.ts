// The sandbox with some calls or look-ups answered otherwise.
import type { LookUp, OperationRequest, Outcome, Processor } from '../../src/processors/processor.ts';

export interface Script {
  /** Undefined: as the sandbox does. */
  readonly perform?: (request: OperationRequest, signal: AbortSignal) => Promise<Outcome> | undefined;
  readonly lookUp?: (reference: string, signal: AbortSignal) => Promise<LookUp> | LookUp | undefined;
  readonly tokenize?: Processor['tokenize'];
  readonly readNotification?: Processor['readNotification'];
}

export function scripted(sandbox: Processor, script: Script): Processor {
  return {
    name: sandbox.name,
    consistencyWindowMs: sandbox.consistencyWindowMs,
    tokenize: (request, signal) => (script.tokenize ?? sandbox.tokenize.bind(sandbox))(request, signal),
    perform: (request, signal) => script.perform?.(request, signal) ?? sandbox.perform(request, signal),
    lookUp: async (reference, signal) => script.lookUp?.(reference, signal) ?? sandbox.lookUp(reference, signal),
    readNotification: (raw, headers, now) => (script.readNotification ?? sandbox.readNotification.bind(sandbox))(raw, headers, now),
    rereadNotification: (raw) => sandbox.rereadNotification(raw),
  };
}
