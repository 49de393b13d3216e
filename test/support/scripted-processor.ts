// The sandbox, with scripted answers to some calls and look-ups.
import type { LookUp, Outcome } from '../../src/domain/payment/outcome.ts';
import type { Call, OperationRequest, Processor } from '../../src/processors/processor.ts';

export interface Script {
  /** Undefined leaves the answer to the sandbox. */
  readonly perform?: (request: OperationRequest, call: Call) => Promise<Outcome> | undefined;
  readonly lookUp?: (request: OperationRequest, call: Call) => Promise<LookUp> | LookUp | undefined;
  readonly tokenize?: Processor['tokenize'];
  readonly prepare?: NonNullable<Processor['prepare']>;
  /** `none`: the processor has no fence, so that the window alone proves that nothing happened. */
  readonly fence?: NonNullable<Processor['fence']> | 'none';
  readonly dispute?: NonNullable<Processor['dispute']>;
  /** `none`: the processor shows no disputes. */
  readonly lookUpDispute?: NonNullable<Processor['lookUpDispute']> | 'none';
  readonly capabilities?: Processor['capabilities'];
  readonly notifications?: Processor['notifications'];
  readonly reread?: Processor['reread'];
}

export function scripted(sandbox: Processor, script: Script): Processor {
  return {
    name: sandbox.name,
    consistencyWindowMs: sandbox.consistencyWindowMs,
    capabilities: (...args) => (script.capabilities ?? sandbox.capabilities.bind(sandbox))(...args),
    tokenize: (...args) => (script.tokenize ?? sandbox.tokenize.bind(sandbox))(...args),
    perform: (request, call) => script.perform?.(request, call) ?? sandbox.perform(request, call),
    lookUp: async (request, call) => script.lookUp?.(request, call) ?? sandbox.lookUp(request, call),
    ...(script.prepare !== undefined && { prepare: script.prepare }),
    ...(sandbox.fence !== undefined &&
      script.fence !== 'none' && { fence: script.fence ?? sandbox.fence.bind(sandbox) }),
    ...(sandbox.dispute && { dispute: script.dispute ?? sandbox.dispute.bind(sandbox) }),
    ...(sandbox.lookUpDispute &&
      script.lookUpDispute !== 'none' && {
        lookUpDispute: script.lookUpDispute ?? sandbox.lookUpDispute.bind(sandbox),
      }),
    notifications: (...args) => (script.notifications ?? sandbox.notifications.bind(sandbox))(...args),
    reread: (...args) => (script.reread ?? sandbox.reread.bind(sandbox))(...args),
  };
}
