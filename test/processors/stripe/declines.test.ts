// Stripe's decline codes in our words: the whole table, and what wins over it.
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { declinedBy, ERROR_CODES } from '../../../src/processors/stripe/declines.ts';
import { undoneBy } from '../../../src/processors/stripe/grading.ts';

type Row = readonly [codes: string, ours: string, type: 'SOFT' | 'HARD', advice?: string];
const TABLE: readonly Row[] = [
  ['insufficient_funds', 'INSUFFICIENT_FUNDS', 'SOFT', 'RETRY_LATER'],
  ['withdrawal_count_limit_exceeded card_velocity_exceeded', 'WITHDRAWAL_LIMIT_EXCEEDED', 'SOFT', 'RETRY_LATER'],
  ['do_not_honor no_action_taken not_permitted transaction_not_allowed', 'DO_NOT_HONOR', 'SOFT'],
  ['service_not_allowed security_violation', 'DO_NOT_HONOR', 'SOFT'],
  ['call_issuer', 'REFER_TO_CARD_ISSUER', 'SOFT'],
  ['generic_decline a_code_of_tomorrow constructor __proto__', 'GENERIC_DECLINE', 'HARD'],
  ['issuer_not_available processing_error reenter_transaction', 'PROCESSING_ERROR', 'SOFT', 'RETRY_LATER'],
  ['try_again_later', 'PROCESSING_ERROR', 'SOFT', 'RETRY_LATER'],
  ['authentication_required', 'AUTHENTICATION_REQUIRED', 'SOFT'],
  ['payment_intent_authentication_failure', 'AUTHENTICATION_FAILED', 'SOFT'],
  ['incorrect_cvc invalid_cvc', 'INCORRECT_CVC', 'SOFT', 'UPDATE_DATA'],
  ['expired_card invalid_expiry_month invalid_expiry_year', 'EXPIRED_CARD', 'HARD', 'UPDATE_DATA'],
  ['incorrect_number invalid_number invalid_account', 'INVALID_CARD_NUMBER', 'HARD', 'UPDATE_DATA'],
  ['new_account_information_available', 'INVALID_CARD_NUMBER', 'HARD', 'UPDATE_DATA'],
  ['incorrect_zip incorrect_address', 'INCORRECT_ADDRESS', 'SOFT', 'UPDATE_DATA'],
  ['card_not_supported currency_not_supported', 'CARD_NOT_SUPPORTED', 'HARD'],
  ['lost_card', 'LOST_CARD', 'HARD', 'DO_NOT_RETRY'],
  ['stolen_card', 'STOLEN_CARD', 'HARD', 'DO_NOT_RETRY'],
  ['pickup_card restricted_card', 'RESTRICTED_CARD', 'HARD', 'DO_NOT_RETRY'],
  ['fraudulent merchant_blacklist highest_risk_level', 'SUSPECTED_FRAUD', 'HARD', 'DO_NOT_RETRY'],
  ['revocation_of_authorization revocation_of_all_authorizations', 'AUTHORIZATION_REVOKED', 'HARD', 'DO_NOT_RETRY'],
  ['stop_payment_order', 'AUTHORIZATION_REVOKED', 'HARD', 'DO_NOT_RETRY'],
];

const error = (more: object) => ({ type: 'card_error', ...more });

describe('what Stripe declines', () => {
  for (const [codes, code, declineType, advice] of TABLE)
    for (const name of codes.split(' '))
      it(`${name} is ${code}`, () => {
        const expected = { kind: 'declined', code, declineType, ...(advice !== undefined && { advice }) };
        expect(declinedBy(error({ code: 'card_declined', decline_code: name }))).to.deep.equal(expected);
        expect(declinedBy(error({ code: name })), 'as the code of the error').to.deep.equal(expected);
      });

  it('is as the card network advises, whatever the table says', () => {
    const of = (decline_code: string, advice_code: string) => {
      const { declineType, advice } = declinedBy(error({ decline_code, advice_code }));
      return [declineType, advice];
    };
    expect(of('insufficient_funds', 'do_not_try_again')).to.deep.equal(['HARD', 'DO_NOT_RETRY']);
    expect(of('generic_decline', 'try_again_later')).to.deep.equal(['SOFT', 'RETRY_LATER']);
    expect(of('do_not_honor', 'confirm_card_data')).to.deep.equal(['SOFT', 'UPDATE_DATA']);
    expect(of('lost_card', 'an_advice_of_tomorrow')).to.deep.equal(['HARD', 'DO_NOT_RETRY']);
  });

  it("has the network's own code as it came, and the PaymentIntent", () => {
    const declined = declinedBy(error({ decline_code: 'insufficient_funds', network_decline_code: '51' }), 'pi_1');
    expect(declined).to.include({ networkCode: '51', processorTransactionId: 'pi_1' });
    const advised = declinedBy(error({ decline_code: 'do_not_honor', network_advice_code: '24' }));
    expect(advised).to.include({ networkAdviceCode: '24' });
  });
});

describe('an error code of Stripe', () => {
  const graded = (code: string | undefined, more: object = {}) =>
    undoneBy({
      kind: 'error',
      status: 400,
      error: { type: 'invalid_request_error', ...(code !== undefined && { code }), message: 'It is so.' },
      detail: 'it answered',
      isReplayed: false,
      ...more,
    });

  it('has a row in the table, for each code of the pinned version', async () => {
    const types = await readFile('node_modules/stripe/esm/resources/PaymentIntents.d.ts', 'utf8');
    const [, list = ''] = /namespace LastPaymentError \{[\s\S]*?type Code = ([^;]*);/.exec(types) ?? [];
    const codes = [...list.matchAll(/'(\w+)'/g)].map(([, code = '']) => code);
    expect(codes).to.include.members(['charge_expired_for_capture', 'url_invalid']);
    expect(codes.filter((code) => !Object.hasOwn(ERROR_CODES, code))).to.deep.equal([]);
    const declined = codes.filter((code) => ERROR_CODES[code] === 'declined');
    const unlisted = declined.filter((code) => declinedBy(error({ code })).code === 'GENERIC_DECLINE');
    expect(unlisted, 'declines without a reason of their own').to.have.members([
      'bank_account_declined',
      'bank_account_restricted',
      'bank_account_unusable',
      'card_decline_rate_limit_exceeded',
      'card_declined',
      'payment_method_bank_account_blocked',
      'payment_method_customer_decline',
      'payment_method_provider_decline',
      'payment_method_restricted',
      'refer_to_customer',
    ]);
  });

  it('refuses the request in the words of Stripe, which was reached, and nobody else was asked', () => {
    const refusals = {
      charge_already_captured: 'NOTHING_TO_CAPTURE',
      capture_charge_authorization_expired: 'AUTHORIZATION_EXPIRED',
      charge_expired_for_capture: 'AUTHORIZATION_EXPIRED',
      charge_already_refunded: 'AMOUNT_ABOVE_REFUNDABLE',
      charge_disputed: 'CHARGE_DISPUTED',
      refund_disputed_payment: 'CHARGE_DISPUTED',
      amount_too_small: 'AMOUNT_TOO_SMALL',
      amount_too_large: 'AMOUNT_TOO_LARGE',
      charge_exceeds_transaction_limit: 'AMOUNT_TOO_LARGE',
      payment_method_unactivated: 'REQUEST_REFUSED',
      request_blocked: 'REQUEST_REFUSED',
      parameter_invalid_integer: 'REQUEST_REFUSED',
      a_code_of_tomorrow: 'REQUEST_REFUSED',
      constructor: 'REQUEST_REFUSED',
    };
    for (const [code, ours] of Object.entries({ ...refusals })) {
      const expected = { kind: 'refused', code: ours, detail: 'it answered: It is so.' };
      expect(graded(code), code).to.deep.equal(expected);
    }
    expect(graded(undefined), 'without a code').to.include({ kind: 'refused', code: 'REQUEST_REFUSED' });
  });

  it('is a decline where somebody else has refused', () => {
    const { code, kind } = { code: undefined, ...graded('payment_method_provider_timeout') };
    expect({ code, kind }).to.deep.equal({ code: 'PROCESSING_ERROR', kind: 'declined' });
    expect(graded('payment_method_customer_decline')).to.have.property('kind', 'declined');
  });

  it('proves nothing where it tells a state, or that the request runs', () => {
    for (const code of ['payment_intent_unexpected_state', 'intent_invalid_state', 'resource_missing', 'lock_timeout'])
      expect(graded(code), code).to.have.property('kind', 'unknown');
    expect(graded(undefined, { error: { type: 'idempotency_error' } })).to.have.property('kind', 'unknown');
    expect(graded('parameter_unknown', { status: 500 })).to.have.property('kind', 'unknown');
    expect(graded('idempotency_key_in_use', { status: 409 })).to.have.property('kind', 'unknown');
    expect(graded('lock_timeout', { status: 429 })).to.have.property('kind', 'unknown');
  });

  it('is not sent where the connection cannot be used, or may not ask so often', () => {
    expect(graded('rate_limit', { status: 429 })).to.have.property('kind', 'not_sent');
    expect(graded('api_key_expired')).to.have.property('kind', 'not_sent');
    expect(graded('parameter_unknown', { status: 403 })).to.have.property('kind', 'not_sent');
  });
});
