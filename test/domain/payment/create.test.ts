// The beginning of a payment: made and authorized in one decision, or fenced off for good.
import { expect } from 'chai';
import { abandonPayment, createPayment, recordVaulting } from '../../../src/domain/payment/create.ts';
import { PaymentCreation, type PaymentEvent } from '../../../src/domain/payment/events.ts';
import {
  attemptByReference,
  attemptsToAskAbout,
  awaitsOperator,
  dueExpiryAt,
  dueLookUpAt,
  givesTokenBack,
  isOver,
  openAttempts,
  refusedReversals,
  unsettledAttempts,
  wantsVaulting,
} from '../../../src/domain/payment/queries.ts';
import { referenceOf } from '../../../src/domain/payment/reference.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  AT,
  authorizationRequested,
  authorized,
  captureRequested,
  created,
  creation,
  id,
  known,
  lookedUp,
  pending,
  refundRequested,
  route,
  settle,
  settled,
  success,
  timing,
  wasDeclined,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const create = createPayment(creation, route, { attemptId: id('a'), ...timing });

describe('creating a payment', () => {
  it('makes it and requests its authorization in one decision', () => {
    given().when(create).then(created(), authorizationRequested);
  });

  it('does nothing when the same attempt has made it already', () => {
    given(...pending)
      .when(create)
      .thenNothing();
    given(...authorized)
      .when(create)
      .thenNothing();
  });

  it('is refused when another attempt has made it', () => {
    given(...pending)
      .when(createPayment(creation, route, { attemptId: id('b'), ...timing }))
      .thenRejected('Conflict');
  });

  it('is refused when it was given up', () => {
    given({ type: 'PaymentAbandoned', data: { accountId: 'acc_1' } })
      .when(create)
      .thenRejected('Conflict');
  });

  it('keeps nothing empty, but metadata word for word', () => {
    const sent = { customer: {}, order: { lineItems: [], countryCode: 'DE' }, metadata: { kept: null, list: [] } };
    const { state } = given().when(createPayment({ ...creation, ...sent }, route, { attemptId: id('a'), ...timing }));
    expect(known(state)).to.not.have.property('customer');
    expect(known(state).order).to.deep.equal({ countryCode: 'DE' });
    expect(known(state).metadata).to.deep.equal({ kept: null, list: [] });
    const whole = { customer: { firstName: 'Ada' }, order: { countryCode: 'DE' }, metadata: {} };
    const made = known(
      given().when(createPayment({ ...creation, ...whole }, route, { attemptId: id('a'), ...timing })).state,
    );
    expect(made).to.deep.include({ customer: whole.customer, order: whole.order }).and.to.not.have.property('metadata');
  });

  it('keeps every member of its terms, except the time of its request and what a search alone reads', () => {
    const full = {
      ...creation,
      customerId: 'cus_1',
      customer: { firstName: 'Ada' },
      order: { countryCode: 'DE' },
      metadata: { a: 1 },
      returnUrl: 'https://shop.example/back',
      shown: { amount: 1_000, currencyCode: 'EUR' },
      forAgreement: 'agr_2',
      agreement: { agreementId: 'agr_1', periodKey: '2026-12', try: 1 },
      emailHash: '0'.repeat(32),
    };
    expect(Object.keys(full)).to.have.members(Object.keys(PaymentCreation.shape));
    const { createdAt: _asked, emailHash: _searched, ...members } = full;
    expect(known(given(created(full), authorizationRequested).state)).to.deep.include(members);
  });

  it('starts PENDING, with an open attempt and nothing authorized', () => {
    const { state } = given().when(create);
    expect(known(state)).to.include({
      status: 'PENDING',
      amount: 1_000,
      amountAuthorized: 0,
      amountCapturable: 0,
      date: 1_001,
      dateUpdated: 1_001,
      processor: 'sandbox',
      connectionId: 'sandbox',
    });
    expect(known(state).attempts).to.deep.equal([
      {
        attemptId: id('a'),
        reference: referenceOf(id('a')),
        operation: 'authorization',
        amount: 1_000,
        ...route,
        requestedAt: AT,
        requestedRevision: 1,
        sendBy: AT + 5_000,
        state: 'open',
        nextLookUpAt: AT + 30_000,
        lookUps: 0,
        events: [{ id: 'event-1', type: 'AuthorizationRequested', at: 1_001, amount: 1_000 }],
      },
    ]);
  });
});

describe('the record of a payment', () => {
  it('begins with its authorization: nothing else precedes it', () => {
    const recorded = { id: 'e', revision: 0, at: AT };
    for (const before of [[], [created()], [{ type: 'PaymentAbandoned', data: { accountId: 'acc_1' } } as const]])
      for (const event of [wentThrough('a', 'authorization', 1_000), captureRequested('c', 1)])
        expect(() => payment.evolve(given(...before).state, event, recorded)).to.throw('before AuthorizationRequested');
  });

  it('names the processor, and its transaction, of the newest authorization', () => {
    const again: PaymentEvent = {
      type: 'AuthorizationRequested',
      data: {
        ...authorizationRequested.data,
        attemptId: id('b'),
        reference: referenceOf(id('b')),
        processor: 'other',
        connectionId: 'con_2',
      },
    };
    const twice = [...pending, wasDeclined('a', 'authorization'), again, wentThrough('b', 'authorization', 1_000)];
    const newest = {
      processor: 'other',
      connectionId: 'con_2',
      processorTransactionId: 'tx_b',
      amountAuthorized: 1_000,
    };
    expect(known(given(...twice).state)).to.include(newest);
    const late = settle('a', success('a', 1_000), 'notification');
    expect(known(given(...twice).when(late).state)).to.include(newest);
  });

  it('says when it last changed, by requests and by outcomes', () => {
    const changed = (...events: readonly PaymentEvent[]) => known(given(...events).state).dateUpdated;
    expect([
      changed(...pending),
      changed(...authorized),
      changed(...authorized, captureRequested('c', 400)),
    ]).to.deep.equal([1_001, 1_002, 1_003]);
    expect(changed(...authorized, lookedUp('a', 'authorization', 'unknown', AT))).to.equal(1_002);
  });

  it('finds an attempt by its name at the processor, and is due when the first of them is', () => {
    const refunds = [refundRequested('r', 300, 'c'), refundRequested('s', 200, 'c')];
    const [later, sooner] = refunds.map(
      (event, at) => ({ ...event, data: { ...event.data, nextLookUpAt: AT + 90_000 - at } }) as PaymentEvent,
    );
    if (later === undefined || sooner === undefined) throw new Error('two refunds');
    const { state } = given(...settled, later, sooner);
    expect(dueLookUpAt(state)).to.equal(AT + 90_000 - 1);
    for (const name of ['a', 'c', 's'])
      expect(attemptByReference(state, referenceOf(id(name)))?.attemptId).to.equal(id(name));
    expect(attemptByReference(state, 'none')).to.equal(undefined);
  });

  it('has the metadata of its captures, where they have any', () => {
    expect(known(given(...authorized, captureRequested('c', 400)).state)).to.not.have.property('metadata');
    expect(known(given(...authorized, captureRequested('c', 400, true, { a: 1 })).state).metadata).to.deep.equal({
      a: 1,
    });
  });
});

describe('a payment that was never made', () => {
  it('asks nothing of anybody', () => {
    const { state } = given();
    for (const asked of [openAttempts, refusedReversals, unsettledAttempts, attemptsToAskAbout])
      expect(asked(state)).to.deep.equal([]);
    expect(awaitsOperator(state)).to.equal(false);
    expect([dueLookUpAt(state), dueExpiryAt(state)]).to.deep.equal([undefined, undefined]);
  });
});

describe('abandoning a payment', () => {
  it('fences off one that was never made', () => {
    given()
      .when(abandonPayment('acc_1'))
      .then({ type: 'PaymentAbandoned', data: { accountId: 'acc_1' } });
  });

  it('does nothing to one that exists', () => {
    given(...pending)
      .when(abandonPayment('acc_1'))
      .thenNothing();
  });

  it('gives back its session and its token', () => {
    const { state } = given().when(abandonPayment('acc_1'));
    expect([isOver(state), givesTokenBack(state)]).to.deep.equal([true, true]);
  });
});

describe('vaulting on success', () => {
  const vaulting = [created({ customerId: 'cus_1' }, { vaultOnSuccess: true }), authorizationRequested] as const;
  const done = [...vaulting, wentThrough('a', 'authorization', 1_000)];

  it('is wanted when the payment is authorized, not before, and not when it was declined', () => {
    expect(wantsVaulting(given(...vaulting).state)).to.equal(false);
    expect(wantsVaulting(given(...vaulting, wasDeclined('a', 'authorization')).state)).to.equal(false);
    expect(wantsVaulting(given(...done).state)).to.equal(true);
    expect(wantsVaulting(given(...authorized).state)).to.equal(false);
  });

  it('is recorded once, and the payment shows the token under which the card is vaulted', () => {
    const record = recordVaulting({ paymentMethodToken: 'pm_first' });
    const event = { type: 'VaultingRecorded' as const, data: { paymentMethodToken: 'pm_first' } };
    given(...done)
      .when(record)
      .then(event);
    given(...done, event)
      .when(record)
      .thenNothing();
    const { state } = given(...done, event);
    expect(known(state).paymentMethod).to.include({ isVaulted: true, paymentMethodToken: 'pm_first' });
  });

  it('that was refused is not tried again', () => {
    const { state } = given(...done).when(recordVaulting({ refused: 'PaymentInstrumentVaultedElsewhere' }));
    expect(wantsVaulting(state)).to.equal(false);
    expect(known(state).paymentMethod.isVaulted).to.equal(false);
  });
});
