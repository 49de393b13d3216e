// Rules of faults that strike once, for scenarios.

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
