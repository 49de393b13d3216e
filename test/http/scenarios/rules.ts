// The parts of scenarios with rules of faults: rules that strike once, and steps that go well.
import type { Step } from './scenario.ts';

const AUTHORIZED = 'PaymentCreated AuthorizationRequested PaymentAuthorized/answer';
export const PAID: Step = ['pay', '200 AUTHORIZED', AUTHORIZED];
export const CAPTURED: Step = ['capture', '200 SETTLED', 'CaptureRequested PaymentCaptured/answer'];
export const ESTIMATED: Step = ['pay {"paymentMethod": {"authorizationType": "ESTIMATED"}}', '200 AUTHORIZED', AUTHORIZED];
export const UNKNOWN = 'PaymentCreated AuthorizationRequested AuthorizationOutcomeUnknown/answer';
export const AUTHORIZATION = 'authorization succeeded 1000 EUR';
export const CAPTURE = 'capture succeeded 1000 EUR';
export const VOID = 'cancellation succeeded 0 EUR';

export interface Struck {
  readonly phase?: string;
  readonly fault?: string;
  readonly [option: string]: unknown;
}
/** Strikes the first call of the operation, unless the rule says how often. */
export const rule = (operation: string, what: Struck): object => ({ match: { operation }, do: { times: 1, ...what } });
export const rules = (...all: readonly object[]): { readonly faults: object } => ({ faults: { seed: 1, rules: all } });

export const NOT_SENT: Struck = { phase: 'before_send', fault: '503' };
export const IN_VAIN: Struck = { phase: 'before_effect', fault: '500' };
export const DONE: Struck = { phase: 'after_effect_before_reply', fault: 'reset' };
