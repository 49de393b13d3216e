// Why a connection did not take a payment by the rules of routing, in words.
import type { components } from '../app/api-types.d.ts';

type SkipReason = NonNullable<components['schemas']['PaymentDetail']['route']>['skipped'][number]['because'];

export const SKIPPED: { readonly [B in SkipReason]: string } = {
  disabled: 'disabled',
  circuit_open: 'circuit breaker open',
  not_supported: 'not supported there',
  method_not_supported: 'the method is not supported there',
  currency_not_supported: 'the currency is not supported there',
  separate_capture_not_supported: 'a later capture is not supported there',
  no_token: 'no token of the card there',
};
