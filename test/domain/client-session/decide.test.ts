// The requests that a client session accepts and refuses besides the PATCH table: creation, expiry, If-Match, tokens,
// one live payment.
import { expect } from 'chai';
import {
  claimSession,
  createSession,
  expireSession,
  issueToken,
  patchSession,
  releaseSession,
} from '../../../src/domain/client-session/decide.ts';
import type { ClientSessionEvent } from '../../../src/domain/client-session/events.ts';
import { clientSession, expiryDueAt } from '../../../src/domain/client-session/state.ts';
import { givenOf } from '../../support/given.ts';
import { AT, created, DAY_MS, ended, expiry, patchOf, sessionA, started } from './sessions.ts';

const given = givenOf(clientSession);
const at = AT + 1_000;
const patch = patchOf({ orderId: 'o-2' });
const updated: ClientSessionEvent = { type: 'ClientSessionUpdated', data: { set: { orderId: 'o-2' }, cleared: [] } };

describe('a client session', () => {
  const creation = { accountId: 'acc_1', fields: sessionA, createdAt: AT, tokenExpiresAt: AT + DAY_MS };

  it('is created once', () => {
    given().when(createSession(creation)).then(created());
    given(created()).when(createSession(creation)).thenNothing();
  });

  it('is created without what is empty, and with metadata word for word', () => {
    const metadata = { a: {}, b: [null, {}], c: null };
    const fields = {
      metadata,
      customer: { billingAddress: {} },
      order: { lineItems: [], fees: [{ amount: 0 }] },
      paymentMethod: { options: {} },
    };
    given()
      .when(createSession({ ...creation, fields }))
      .then(created({ metadata, order: { fees: [{ amount: 0 }] } }));
  });

  it('may be created with nothing at all', () =>
    given()
      .when(createSession({ ...creation, fields: {} }))
      .then(created({})));

  it('keeps no empty metadata', () =>
    given()
      .when(createSession({ ...creation, fields: { metadata: {} } }))
      .then(created({})));
});

describe('the session of a payment link', () => {
  const fields = { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 };
  const link = given(created(fields), { type: 'PaymentLinkCreated', data: { expiresAt: AT + DAY_MS } });
  const REFUSED: readonly (readonly [Parameters<typeof patchOf>[0], string])[] = [
    [{ customerId: 'c-1' }, '$.customerId'],
    [{ returnUrl: 'https://shop.example/back' }, '$.returnUrl'],
    [{ paymentMethod: { vaultOnSuccess: true } }, '$.paymentMethod.vaultOnSuccess'],
    [{ paymentMethod: { descriptor: 'SHOP', paymentType: 'UNSCHEDULED' } }, '$.paymentMethod.paymentType'],
    [{ amount: null }, '$.amount'],
    [{ amount: 0 }, '$.amount'],
    [{ amount: null, order: { lineItems: [{ amount: 0 }] } }, '$.amount'],
    [{ currencyCode: null }, '$.currencyCode'],
  ];
  for (const [sent, path] of REFUSED)
    it(`takes no ${JSON.stringify(sent)}`, () => {
      const refused = patchSession(patchOf(sent), { at, mayCapture: true })(link.state, 2);
      expect(refused).to.deep.include({ kind: 'rejected', errorId: 'RequestValidationError' });
      expect('violations' in refused && refused.violations?.map((one) => one.path)).to.deep.equal([path]);
    });

  it('takes all that a link is created with, and null for what it never has', () =>
    link
      .when(patchSession(patchOf({ orderId: 'o-2', customerId: null, returnUrl: null }), { at, mayCapture: true }))
      .then(updated));
});

describe('the expiry of a client session', () => {
  const due = AT + 31 * DAY_MS;
  const expired: ClientSessionEvent = { type: 'ClientSessionExpired', data: { expiredAt: due } };

  it('is recorded once when it can no longer be used, and is due no longer', () => {
    expect(expiryDueAt(given(created()).state)).to.equal(due);
    given(created())
      .when(expireSession(due - 1))
      .thenNothing();
    given(created()).when(expireSession(due)).then(expired);
    given(created(), expired).when(expireSession(due)).thenNothing();
    expect(expiryDueAt(given(created(), expired).state)).to.equal(undefined);
    given().when(expireSession(due)).thenNothing();
  });

  it('is put off by a new token', () => {
    const renewed: ClientSessionEvent = {
      type: 'ClientTokenIssued',
      data: { tokenIssuedAt: AT + DAY_MS, ...expiry(AT + 2 * DAY_MS) },
    };
    expect(expiryDueAt(given(created(), renewed).state)).to.equal(due + DAY_MS);
    given(created(), renewed).when(expireSession(due)).thenNothing();
  });

  it('never comes while a payment holds it, and at once when that gives it back later', () => {
    expect(expiryDueAt(given(created(), started('pay_1')).state)).to.equal(undefined);
    given(created(), started('pay_1')).when(expireSession(due)).thenNothing();
    given(created(), started('pay_1'), ended('pay_1')).when(expireSession(due)).then(expired);
  });

  it('on record is also known to a node whose clock is behind: nothing can be done with it', () => {
    for (const decide of [
      patchSession(patch, { mayCapture: true, at }),
      issueToken({ mayCapture: true, at, tokenExpiresAt: at + DAY_MS }),
      claimSession({ paymentId: 'pay_1', at, abandonAfter: at + 60_000 }),
    ])
      given(created(), expired).when(decide).thenRejected('ClientSessionValidationError');
  });
});

describe('the life of a client session', () => {
  const lastMoment = AT + 31 * DAY_MS - 1;
  const decisions = [
    ['PATCH', (when: number) => patchSession(patch, { mayCapture: true, at: when })],
    ['a new token', (when: number) => issueToken({ mayCapture: true, at: when, tokenExpiresAt: when + DAY_MS })],
    ['a payment', (when: number) => claimSession({ paymentId: 'pay_1', at: when, abandonAfter: when })],
  ] as const;
  for (const [name, decide] of decisions) {
    it(`${name} is possible until 30 days after the newest token expired, and not a moment longer`, () => {
      expect(given(created()).when(decide(lastMoment)).state.status).to.equal('open');
      given(created())
        .when(decide(lastMoment + 1))
        .thenRejected('ClientSessionValidationError');
    });
    it(`${name} is refused for a session that never was`, () =>
      given().when(decide(at)).thenRejected('ClientSessionValidationError'));
    it(`${name} is possible for longer after a new token`, () => {
      const token = {
        type: 'ClientTokenIssued',
        data: { tokenIssuedAt: AT + 30 * DAY_MS, ...expiry(AT + 31 * DAY_MS) },
      } as const;
      expect(given(created(), token).when(decide(AT + 60 * DAY_MS)).state.status).to.equal('open');
      given(created(), token)
        .when(decide(AT + 61 * DAY_MS))
        .thenRejected('ClientSessionValidationError');
    });
  }

  it('has no new token of a caller who may not capture, if it captures automatically', () => {
    const token = { mayCapture: false, at, tokenExpiresAt: at + DAY_MS };
    const automatic = { ...sessionA, paymentMethod: { captureMode: 'AUTOMATIC' } } as const;
    given(created(automatic)).when(issueToken(token)).thenRejected('InsufficientScope');
    expect(given(created()).when(issueToken(token)).state).to.include({ tokenIssuedAt: at });
  });

  it('records when a token was issued and expires', () => {
    const issued = given(created()).when(issueToken({ mayCapture: true, at, tokenExpiresAt: at + DAY_MS }));
    issued.then({ type: 'ClientTokenIssued', data: { tokenIssuedAt: at, ...expiry(at + DAY_MS) } });
    expect(issued.state).to.include({ createdAt: AT, tokenIssuedAt: at, tokenExpiresAt: at + DAY_MS });
  });
});

describe('If-Match on a client session', () => {
  const at0 = (revision: number) => revision === 0;
  it('changes the revision that it names', () =>
    given(created())
      .when(patchSession(patch, { mayCapture: true, at, ifMatch: at0 }))
      .then(updated));
  it('refuses a later revision', () =>
    given(created(), updated)
      .when(patchSession(patch, { mayCapture: true, at, ifMatch: at0 }))
      .thenRejected('PreconditionFailed'));
  it('refuses also what would change nothing', () =>
    given(created(), updated)
      .when(patchSession({}, { mayCapture: true, at, ifMatch: at0 }))
      .thenRejected('PreconditionFailed'));
  it('comes before the state', () =>
    given(created(), started('pay_1'))
      .when(patchSession(patch, { mayCapture: true, at, ifMatch: at0 }))
      .thenRejected('PreconditionFailed'));
  it('says nothing about a session that never was', () =>
    given()
      .when(patchSession(patch, { mayCapture: true, at, ifMatch: at0 }))
      .thenRejected('ClientSessionValidationError'));
});

describe('a session pays once', () => {
  const held = { paymentId: 'pay_1' };

  it('is claimed by the first payment', () => {
    const claimed = given(created()).when(claimSession({ paymentId: 'pay_1', at: AT, abandonAfter: AT + 60_000 }));
    claimed.then(started('pay_1'));
    expect(claimed.state).to.deep.include({
      payment: { paymentId: 'pay_1', claimedAt: AT, abandonAfter: AT + 60_000 },
    });
  });
  it('says nothing new when the same payment claims it again', () =>
    given(created(), started('pay_1'))
      .when(claimSession({ paymentId: 'pay_1', at, abandonAfter: at + 60_000 }))
      .thenNothing());
  it('refuses a second payment, and names the first', () =>
    given(created(), started('pay_1'))
      .when(claimSession({ paymentId: 'pay_2', at, abandonAfter: at + 60_000 }))
      .thenRejected('ClientSessionCompleted', held));
  it('is claimed for the amount that was shown, and for no other', () => {
    const claim = (shown: { readonly amount: number; readonly currencyCode: string }) =>
      claimSession({ paymentId: 'pay_1', at: AT, abandonAfter: AT + 60_000, shown });
    const euros: ClientSessionEvent = {
      type: 'ClientSessionUpdated',
      data: { set: { amount: 500, currencyCode: 'EUR' }, cleared: [] },
    };
    const now = { amount: 500, currencyCode: 'EUR' };
    given(created(), euros).when(claim(now)).then(started('pay_1'));
    given(created(), euros)
      .when(claim({ ...now, amount: 501 }))
      .thenRejected('AmountChanged', now);
    given(created(), euros)
      .when(claim({ ...now, currencyCode: 'USD' }))
      .thenRejected('AmountChanged', now);
    given(created(), euros, started('pay_1'))
      .when(claim({ ...now, amount: 501 }))
      .thenNothing();
    given(created(), euros, started('pay_2'))
      .when(claim({ ...now, amount: 501 }))
      .thenRejected('ClientSessionCompleted', { paymentId: 'pay_2' });
  });
  it('refuses a PATCH meanwhile, one that changes nothing too', () => {
    given(created(), started('pay_1'))
      .when(patchSession(patch, { mayCapture: true, at }))
      .thenRejected('ClientSessionCompleted', held);
    given(created(), started('pay_1'))
      .when(patchSession({}, { mayCapture: true, at }))
      .thenRejected('ClientSessionCompleted', held);
  });
  it('refuses a new token meanwhile', () =>
    given(created(), started('pay_1'))
      .when(issueToken({ mayCapture: true, at, tokenExpiresAt: at + DAY_MS }))
      .thenRejected('ClientSessionCompleted', held));
  it('is open again after the payment ended', () => {
    given(created(), started('pay_1')).when(releaseSession('pay_1')).then(ended('pay_1'));
    given(created(), started('pay_1'), ended('pay_1'))
      .when(patchSession(patch, { mayCapture: true, at }))
      .then(updated);
    given(created(), started('pay_1'), ended('pay_1'))
      .when(claimSession({ paymentId: 'pay_2', at: AT, abandonAfter: AT + 60_000 }))
      .then(started('pay_2'));
  });
  it('is given back by its holder only, and once', () => {
    given(created(), started('pay_1')).when(releaseSession('pay_2')).thenNothing();
    given(created(), started('pay_1'), ended('pay_1')).when(releaseSession('pay_1')).thenNothing();
    given(created()).when(releaseSession('pay_1')).thenNothing();
    given().when(releaseSession('pay_1')).thenNothing();
  });
});
