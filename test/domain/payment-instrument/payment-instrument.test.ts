// A payment instrument: it pays once, or it is one customer's (contract §5).
import { expect } from 'chai';
import { expiresLater } from '../../../src/domain/customer-wallet.ts';
import {
  addTokens,
  claimInstrument,
  closeInstrument,
  confirmVault,
  deleteInstrument,
  expireInstrument,
  type InstrumentClaim,
  keepToken,
  mergeInstrument,
  releaseInstrument,
  requestVault,
  tokenize,
  updateInstrument,
} from '../../../src/domain/payment-instrument/decide.ts';
import type { PaymentInstrumentEvent, Tokenization } from '../../../src/domain/payment-instrument/events.ts';
import {
  claimedSince,
  expiryDueAt,
  paymentInstrument,
  tokenTypeOf,
  type UsableInstrument,
} from '../../../src/domain/payment-instrument/state.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(paymentInstrument);
const AT = 1_000_000;
const HOUR = 3_600_000;

const tokenization: Tokenization = {
  accountId: 'acc_1',
  sessionId: 'cs_1',
  processor: 'sandbox',
  connectionId: 'sandbox',
  processorToken: 'tok_1',
  paymentMethodType: 'PAYMENT_CARD',
  paymentMethodData: {
    network: 'VISA',
    first6Digits: '424242',
    last4Digits: '4242',
    expirationMonth: '12',
    expirationYear: '2030',
  },
  fingerprint: 'f'.repeat(64),
  createdAt: AT,
  expiresAt: AT + 24 * HOUR,
};
const tokenized: PaymentInstrumentEvent = { type: 'InstrumentTokenized', data: tokenization };
const claimedBy = (paymentId: string): PaymentInstrumentEvent => ({
  type: 'InstrumentClaimed',
  data: { paymentId, claimedAt: AT, abandonAfter: AT + 60_000 },
});
const released = (paymentId: string): PaymentInstrumentEvent => ({ type: 'InstrumentReleased', data: { paymentId } });
const vaultRequested: PaymentInstrumentEvent = {
  type: 'VaultingRequested',
  data: { customerId: 'cus_1', walletId: 'wallet_1', requestedAt: AT },
};
const vaulted: PaymentInstrumentEvent = { type: 'InstrumentVaulted', data: { vaultedAt: AT, walletRevision: 3 } };
const merged: PaymentInstrumentEvent = { type: 'InstrumentMerged', data: { into: 'pm_first', walletRevision: 3 } };
const deleted: PaymentInstrumentEvent = { type: 'InstrumentDeleted', data: { deletedAt: AT } };

const claim = (other: Partial<InstrumentClaim> = {}) =>
  claimInstrument({ accountId: 'acc_1', paymentId: 'pay_1', at: AT, abandonAfter: AT + 60_000, ...other });
const vault = (other: Partial<Parameters<typeof requestVault>[0]> = {}) =>
  requestVault({ accountId: 'acc_1', customerId: 'cus_1', walletId: 'wallet_1', at: AT, ...other });
const remove = deleteInstrument({ accountId: 'acc_1', at: AT });

function known(state: ReturnType<typeof given>['state']): UsableInstrument {
  if (state.status === 'absent') throw new Error('there is no instrument');
  return state;
}

describe('tokenizing', () => {
  it('happens once', () => {
    given().when(tokenize(tokenization)).then(tokenized);
    given(tokenized).when(tokenize(tokenization)).thenNothing();
  });
});

describe('a single-use token', () => {
  it('pays once', () => {
    given(tokenized).when(claim()).then(claimedBy('pay_1'));
    given(tokenized, claimedBy('pay_1')).when(claim()).thenNothing();
    given(tokenized, claimedBy('pay_1'))
      .when(claim({ paymentId: 'pay_2' }))
      .thenRejected('InvalidPaymentInstrumentToken');
  });

  it('lives for 24 hours, but a payment that has it keeps it', () => {
    given(tokenized)
      .when(claim({ at: AT + 24 * HOUR - 1 }))
      .then({
        type: 'InstrumentClaimed',
        data: { paymentId: 'pay_1', claimedAt: AT + 24 * HOUR - 1, abandonAfter: AT + 60_000 },
      });
    given(tokenized)
      .when(claim({ at: AT + 24 * HOUR }))
      .thenRejected('InvalidPaymentInstrumentToken');
    given(tokenized, claimedBy('pay_1'))
      .when(claim({ at: AT + 25 * HOUR }))
      .thenNothing();
  });

  it('can pay again when it was given back, and only its holder can give it back', () => {
    given(tokenized, claimedBy('pay_1')).when(releaseInstrument('pay_1')).then(released('pay_1'));
    given(tokenized, claimedBy('pay_1')).when(releaseInstrument('pay_2')).thenNothing();
    given(tokenized).when(releaseInstrument('pay_1')).thenNothing();
    given().when(releaseInstrument('pay_1')).thenNothing();
    given(tokenized, claimedBy('pay_1'), released('pay_1'))
      .when(claim({ paymentId: 'pay_2' }))
      .then(claimedBy('pay_2'));
  });

  it('that is unknown, of another account, deleted or used up is one and the same error', () => {
    given().when(claim()).thenRejected('InvalidPaymentInstrumentToken');
    given(tokenized)
      .when(claim({ accountId: 'acc_2' }))
      .thenRejected('InvalidPaymentInstrumentToken');
    given(tokenized, deleted).when(claim()).thenRejected('InvalidPaymentInstrumentToken');
    given(tokenized, vaultRequested, merged).when(claim()).thenRejected('InvalidPaymentInstrumentToken');
  });

  it('pays in a checkout only in the session in which it was created', () => {
    given(tokenized)
      .when(claim({ sessionId: 'cs_1' }))
      .then(claimedBy('pay_1'));
    given(tokenized)
      .when(claim({ sessionId: 'cs_2' }))
      .thenRejected('InvalidPaymentInstrumentToken');
    given(tokenized)
      .when(claim({ sessionId: 'cs_2', customerId: 'cus_1' }))
      .thenRejected('InvalidPaymentInstrumentToken');
  });
});

describe('the expiry of a single-use token', () => {
  const due = AT + 24 * HOUR;
  const expired: PaymentInstrumentEvent = { type: 'InstrumentExpired', data: { expiredAt: due } };

  it('is put on record after its 24 hours, once, and changes nothing that can be read', () => {
    expect(expiryDueAt(given(tokenized).state)).to.equal(due);
    given(tokenized)
      .when(expireInstrument(due - 1))
      .thenNothing();
    given(tokenized).when(expireInstrument(due)).then(expired);
    given(tokenized, expired).when(expireInstrument(due)).thenNothing();
    const { state } = given(tokenized, expired);
    expect(expiryDueAt(state)).to.equal(undefined);
    const { expiredAt, ...read } = known(state);
    expect(read).to.deep.equal(given(tokenized).state);
    expect([expiredAt, tokenTypeOf(known(state))]).to.deep.equal([due, 'SINGLE_USE']);
  });

  it('never comes to one that a payment holds, a customer has or that is deleted, and at once to one that is given back later', () => {
    for (const held of [
      [claimedBy('pay_1')],
      [vaultRequested],
      [vaultRequested, vaulted],
      [vaultRequested, merged],
      [deleted],
    ] satisfies readonly (readonly PaymentInstrumentEvent[])[]) {
      expect(expiryDueAt(given(tokenized, ...held).state)).to.equal(undefined);
      given(tokenized, ...held)
        .when(expireInstrument(due + HOUR))
        .thenNothing();
    }
    expect(expiryDueAt(given(tokenized, claimedBy('pay_1'), released('pay_1')).state)).to.equal(due);
    given(tokenized, claimedBy('pay_1'), released('pay_1')).when(expireInstrument(due)).then(expired);
  });

  it('on record is also known to a node whose clock is behind: it neither pays nor can be vaulted, and can still be deleted', () => {
    given(tokenized, expired).when(claim()).thenRejected('InvalidPaymentInstrumentToken');
    given(tokenized, expired).when(vault()).thenRejected('InvalidPaymentInstrumentToken');
    given(tokenized, expired).when(remove).then(deleted);
  });
});

describe('the claim of a single-use token', () => {
  it('is since when a payment holds it, and nothing once that counts no more', () => {
    expect(claimedSince(given(tokenized, claimedBy('pay_1')).state)).to.equal(AT);
    expect(claimedSince(given(tokenized, claimedBy('pay_1'), vaultRequested).state)).to.equal(AT);
    for (const free of [[], [claimedBy('pay_1'), released('pay_1')], [claimedBy('pay_1'), deleted]])
      expect(claimedSince(given(tokenized, ...free).state)).to.equal(undefined);
    expect(claimedSince(given().state)).to.equal(undefined);
  });
});

describe('a vaulted instrument', () => {
  const history = [tokenized, vaultRequested, vaulted];

  it('pays for its own customer, and for no other', () => {
    given(...history)
      .when(claim({ customerId: 'cus_1' }))
      .thenNothing();
    given(...history)
      .when(claim({ customerId: 'cus_2' }))
      .thenRejected('InvalidPaymentInstrumentToken');
  });

  it('is MULTI_USE and never claimed', () => {
    expect(tokenTypeOf(known(given(tokenized, vaultRequested).state))).to.equal('SINGLE_USE');
    expect(tokenTypeOf(known(given(...history).state))).to.equal('MULTI_USE');
    given(...history)
      .when(claim({ at: AT + 1_000 * HOUR }))
      .thenNothing();
    given(...history)
      .when(claim({ paymentId: 'pay_2' }))
      .thenNothing();
    given(tokenized, claimedBy('pay_1'), vaultRequested, vaulted)
      .when(claim({ paymentId: 'pay_2' }))
      .thenNothing();
  });

  it('pays in a checkout of its customer, or in the session in which it was created', () => {
    given(...history)
      .when(claim({ sessionId: 'cs_9', customerId: 'cus_1' }))
      .thenNothing();
    given(...history)
      .when(claim({ sessionId: 'cs_1' }))
      .thenNothing();
    given(...history)
      .when(claim({ sessionId: 'cs_9', customerId: 'cus_2' }))
      .thenRejected('InvalidPaymentInstrumentToken');
    given(...history)
      .when(claim({ sessionId: 'cs_9' }))
      .thenRejected('InvalidPaymentInstrumentToken');
  });
});

describe('vaulting', () => {
  it('decides first whose it is', () => {
    given(tokenized).when(vault()).then(vaultRequested);
    const described: PaymentInstrumentEvent = {
      type: 'VaultingRequested',
      data: { customerId: 'cus_1', walletId: 'wallet_1', description: 'blue', requestedAt: AT },
    };
    given(tokenized)
      .when(vault({ description: 'blue' }))
      .then(described);
    expect(known(given(tokenized, described).state).vault).to.deep.equal({
      customerId: 'cus_1',
      walletId: 'wallet_1',
      description: 'blue',
      requestedAt: AT,
    });
  });

  it('again for the same customer does nothing, at every stage', () => {
    given(tokenized, vaultRequested).when(vault()).thenNothing();
    given(tokenized, vaultRequested, vaulted).when(vault()).thenNothing();
    given(tokenized, vaultRequested, merged).when(vault()).thenNothing();
  });

  it('of a card that pays once is OperationNotSupported before and after its payment', () => {
    const once = { ...tokenized, data: { ...tokenized.data, paysOnce: true as const } };
    given(once).when(vault()).thenRejected('OperationNotSupported');
    given(once, claimedBy('pay_1'))
      .when(vault({ paymentId: 'pay_1' }))
      .thenRejected('OperationNotSupported');
  });

  it('takes what the processor keeps, whose token replaces the one that paid once', () => {
    const once: PaymentInstrumentEvent = {
      type: 'InstrumentTokenized',
      data: { ...tokenization, paysOnce: true as const },
    };
    const { connectionId, processor } = tokenization;
    const kept = { connectionId, processor, processorToken: 'cus_1/pm_1' };
    const added: PaymentInstrumentEvent = { type: 'InstrumentTokenAdded', data: kept };
    given(once, claimedBy('pay_1')).when(keepToken(kept)).then(added);
    given(once, claimedBy('pay_1'), added).when(keepToken(kept)).thenNothing();
    given(tokenized).when(keepToken(kept)).thenNothing();
    const { state } = given(once, claimedBy('pay_1'), added);
    expect(known(state)).to.deep.include(kept);
    expect(known(state)).not.to.have.any.keys('paysOnce', 'otherTokens');
    given(once, claimedBy('pay_1'), added)
      .when(vault({ paymentId: 'pay_1' }))
      .then(vaultRequested);
  });

  it('takes tokens at further connections, each in place of an older one there, and none once it is deleted', () => {
    const at = (connectionId: string, processorToken: string) => ({
      connectionId,
      processor: 'sandbox',
      processorToken,
    });
    const addedAs = (data: ReturnType<typeof at>): PaymentInstrumentEvent => ({ type: 'InstrumentTokenAdded', data });
    const own = at(tokenization.connectionId, 'tok_own');
    const [older, newer, third] = [at('second', 'tok_1'), at('second', 'tok_2'), at('third', 'tok_3')];
    const kept = [tokenized, addedAs(older), vaultRequested, vaulted];
    given(...kept)
      .when(addTokens([own, newer, third]))
      .then(addedAs(newer), addedAs(third));
    const again = given(...kept, addedAs(newer), addedAs(third));
    again.when(addTokens([own, newer, third])).thenNothing();
    expect(known(again.state).otherTokens).to.deep.equal([newer, third]);
    expect(known(again.state).processorToken).to.equal(tokenization.processorToken);
    given(...kept, { type: 'InstrumentDeleted', data: { deletedAt: AT } })
      .when(addTokens([newer]))
      .thenNothing();
  });

  it('for another customer is PaymentInstrumentVaultedElsewhere', () => {
    for (const history of [[], [vaulted], [merged]]) {
      given(tokenized, vaultRequested, ...history)
        .when(vault({ customerId: 'cus_2' }))
        .thenRejected('PaymentInstrumentVaultedElsewhere');
    }
  });

  it('of a used token is refused, but to the payment that holds it, whenever it knows of its success', () => {
    given(tokenized, claimedBy('pay_1')).when(vault()).thenRejected('InvalidPaymentInstrumentToken');
    given(tokenized, claimedBy('pay_1'))
      .when(vault({ paymentId: 'pay_2' }))
      .thenRejected('InvalidPaymentInstrumentToken');
    given(tokenized, claimedBy('pay_1'))
      .when(vault({ paymentId: 'pay_1', at: AT + 25 * HOUR }))
      .then({
        type: 'VaultingRequested',
        data: { customerId: 'cus_1', walletId: 'wallet_1', requestedAt: AT + 25 * HOUR },
      });
  });

  it('of an expired or deleted token is refused, of a missing one NotFound', () => {
    given(tokenized)
      .when(vault({ at: AT + 24 * HOUR }))
      .thenRejected('InvalidPaymentInstrumentToken');
    given(tokenized, deleted).when(vault()).thenRejected('InvalidPaymentInstrumentToken');
    given(tokenized, vaultRequested, vaulted, deleted).when(vault()).thenRejected('InvalidPaymentInstrumentToken');
    given().when(vault()).thenRejected('NotFound');
    given(tokenized)
      .when(vault({ accountId: 'acc_2' }))
      .thenRejected('NotFound');
  });

  it('ends when the wallet has answered: vaulted, or merged into the token of the same card', () => {
    given(tokenized, vaultRequested)
      .when(confirmVault({ vaultedAt: AT, walletRevision: 3 }))
      .then(vaulted);
    given(tokenized, vaultRequested)
      .when(mergeInstrument({ into: 'pm_first', walletRevision: 3 }))
      .then(merged);
    for (const end of [vaulted, merged, deleted]) {
      given(tokenized, vaultRequested, end)
        .when(confirmVault({ vaultedAt: AT, walletRevision: 3 }))
        .thenNothing();
      given(tokenized, vaultRequested, end)
        .when(mergeInstrument({ into: 'pm_first', walletRevision: 3 }))
        .thenNothing();
    }
    given(tokenized)
      .when(confirmVault({ vaultedAt: AT, walletRevision: 3 }))
      .thenNothing();
    expect(known(given(tokenized, vaultRequested, merged).state)).to.deep.include({ into: 'pm_first' });
    for (const end of [vaulted, merged]) {
      expect(known(given(tokenized, vaultRequested, end).state).vault).to.include({
        customerId: 'cus_1',
        walletRevision: 3,
      });
    }
  });
});

describe('deleting an instrument', () => {
  it('happens once, and it can still be read', () => {
    given(tokenized).when(remove).then(deleted);
    given(tokenized, vaultRequested, vaulted).when(remove).then(deleted);
    given(tokenized, deleted).when(remove).thenNothing();
    const state = known(given(tokenized, vaultRequested, vaulted, deleted).state);
    expect(state).to.include({ status: 'deleted', deletedAt: AT });
    expect(tokenTypeOf(state)).to.equal('MULTI_USE');
  });

  it('of a used-up or a foreign one is refused', () => {
    given(tokenized, vaultRequested, merged).when(remove).thenRejected('InvalidPaymentInstrumentToken');
    given(tokenized)
      .when(deleteInstrument({ accountId: 'acc_2', at: AT }))
      .thenRejected('NotFound');
    given().when(remove).thenRejected('NotFound');
  });
});

describe('the expiry of a card', () => {
  const card = (expirationMonth: string, expirationYear: string) => ({
    ...tokenization.paymentMethodData,
    expirationMonth,
    expirationYear,
  });

  it('is compared by year, then by month', () => {
    expect(expiresLater(card('01', '2031'), card('12', '2030'))).to.equal(true);
    expect(expiresLater(card('12', '2030'), card('01', '2031'))).to.equal(false);
    expect(expiresLater(card('12', '2030'), card('11', '2030'))).to.equal(true);
    expect(expiresLater(card('12', '2030'), card('12', '2030'))).to.equal(false);
  });
});

describe("a network's word about a saved card", () => {
  const vaultedNow = [tokenized, vaultRequested, vaulted];
  const word = (occurredAt: number, card: object, fingerprint?: string) =>
    updateInstrument({ notificationId: `n-${occurredAt}`, occurredAt, card, fingerprint });
  const updatedAt = (occurredAt: number, card: object, fingerprint?: string): PaymentInstrumentEvent => ({
    type: 'InstrumentUpdated',
    data: {
      notificationId: `n-${occurredAt}`,
      occurredAt,
      source: 'updater',
      card,
      ...(fingerprint !== undefined && { fingerprint }),
    },
  });
  const close = (occurredAt: number) => closeInstrument({ notificationId: 'n', occurredAt, closedAt: AT + HOUR });
  const closed: PaymentInstrumentEvent = {
    type: 'InstrumentClosed',
    data: { notificationId: 'n', occurredAt: AT, closedAt: AT + HOUR, source: 'updater' },
  };
  const later = { expirationMonth: '01', expirationYear: '2035' };

  it('gives it a new expiry once, and keeps the number', () => {
    given(...vaultedNow)
      .when(word(AT, later))
      .then(updatedAt(AT, later));
    given(...vaultedNow, updatedAt(AT, later))
      .when(word(AT + 1, later))
      .thenNothing();
    const { state } = given(...vaultedNow, updatedAt(AT, later));
    expect(known(state).paymentMethodData).to.deep.equal({ ...tokenization.paymentMethodData, ...later });
    expect(known(state).fingerprint).to.equal(tokenization.fingerprint);
  });

  it('gives it a new number, whose first digits are not known', () => {
    const number = { last4Digits: '1111' };
    const other = 'e'.repeat(64);
    given(...vaultedNow)
      .when(word(AT, number, other))
      .then(updatedAt(AT, number, other));
    const { state } = given(...vaultedNow, updatedAt(AT, number, other));
    expect(known(state)).to.have.property('fingerprint', other);
    expect(known(state).paymentMethodData).to.include(number).and.to.not.have.property('first6Digits');
    given(...vaultedNow)
      .when(word(AT, {}, tokenization.fingerprint))
      .thenNothing();
  });

  it('changes nothing where a newer word is on record, or the card is over', () => {
    given(...vaultedNow, updatedAt(AT, later))
      .when(word(AT - 1, { expirationYear: '2031' }))
      .thenNothing();
    given(...vaultedNow, updatedAt(AT, later))
      .when(close(AT - 1))
      .thenNothing();
    given(...vaultedNow, closed)
      .when(word(AT + 1, later))
      .thenNothing();
    given(...vaultedNow, deleted)
      .when(word(AT, later))
      .thenNothing();
    given(...vaultedNow, deleted)
      .when(close(AT))
      .thenNothing();
    given().when(word(AT, later)).thenRejected('NotFound');
  });

  it('closes it once: then no payment takes it, and it can still be deleted', () => {
    given(...vaultedNow)
      .when(close(AT))
      .then(closed);
    given(...vaultedNow, closed)
      .when(close(AT + 1))
      .thenNothing();
    given(...vaultedNow, closed)
      .when(claim({ customerId: 'cus_1' }))
      .thenRejected('InvalidPaymentInstrumentToken');
    given(...vaultedNow, closed)
      .when(remove)
      .then(deleted);
  });
});
