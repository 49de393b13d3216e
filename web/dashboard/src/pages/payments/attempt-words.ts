// What an attempt that is not settled means, in words for people.
import type { components } from '../../app/api-types.d.ts';

interface Meaning {
  readonly title: string;
  readonly words: string;
}
type OpenAttempt = components['schemas']['OpenAttempt'];
type Action = components['schemas']['RequiredAction']['name'];

const ACTIONS: { readonly [A in Action]: string } = {
  '3DS_AUTHENTICATION':
    'The customer has to confirm the payment with the bank (3-D Secure). No amount is held until then.',
  PAYMENT_METHOD_REDIRECT: 'The customer has to approve the payment on the page of the payment method.',
  PAYMENT_METHOD_VOUCHER: 'The customer has to pay with the numbers of the voucher.',
  SDK_ACTION: 'The customer has to go on in the payment method’s own part of the checkout.',
};

/** `action`: what the payment waits for; undefined if the customer can no longer act. */
export function meaningOf(
  { operation, state, mismatch }: Pick<OpenAttempt, 'operation' | 'state' | 'mismatch'>,
  action: Action | undefined,
): Meaning {
  switch (state) {
    case 'open':
      return { title: `The ${operation} is in progress`, words: 'The processor has not responded yet.' };
    case 'unknown':
      return mismatch === undefined
        ? {
            title: `Outcome of the ${operation} unknown`,
            words:
              'The processor’s response was lost. The money may or may not have moved. The request is never sent again; we only check its status.',
          }
        : {
            title: `The ${operation} went through with a different amount`,
            words: 'The processor reports the success for certain. It is not asked again, and the totals leave it out.',
          };
    case 'pending':
      return {
        title: `The ${operation} is pending`,
        words: 'The processor accepted it and will report the result later.',
      };
    case 'action_required':
      return {
        title: 'Waiting for the customer',
        words:
          action === undefined
            ? 'The customer can no longer act. The processor is asked how it ended.'
            : ACTIONS[action],
      };
    case 'declined':
    case 'returned':
      return {
        title: `The ${operation} was refused and is still owed`,
        words: 'This reversal undoes an unexpected success. The processor refused it, so it needs manual action.',
      };
    default:
      return { title: `The ${operation} is unresolved`, words: 'Counterfoil retries it automatically.' };
  }
}
