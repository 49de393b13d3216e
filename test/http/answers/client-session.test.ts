// A client session in a response: the fields as sent, the due amount, and the token only at its creation.
import { expect } from 'chai';
import { createSession } from '../../../src/domain/client-session/decide.ts';
import type { SessionFields } from '../../../src/domain/client-session/recorded-fields.ts';
import { clientSession, type OpenSession } from '../../../src/domain/client-session/state.ts';
import {
  ClientSessionAnswer,
  ClientTokenAnswer,
  CreatedClientSessionAnswer,
  clientSessionAnswer,
  clientTokenAnswer,
  createdClientSessionAnswer,
} from '../../../src/http/answers/client-session.ts';
import { AT, DAY_MS, sessionA } from '../../domain/client-session/sessions.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(clientSession);

function sessionOf(fields: SessionFields): OpenSession {
  const creation = { accountId: 'acc_1', fields, createdAt: AT, tokenExpiresAt: AT + DAY_MS };
  const { state } = given().when(createSession(creation));
  if (state.status === 'absent') throw new Error('no session');
  return state;
}

describe('the answer of a client session', () => {
  it('has the fields as they were sent, with the calculated amount', () => {
    const answer = clientSessionAnswer(sessionOf(sessionA));
    expect(answer).to.deep.equal({ ...sessionA, amount: 650 });
    expect(ClientSessionAnswer.parse(answer)).to.deep.equal(answer);
  });
  it('has the top-level amount where there is one', () =>
    expect(clientSessionAnswer(sessionOf({ ...sessionA, amount: 0 }))).to.deep.equal({ ...sessionA, amount: 0 }));
  it('has no amount where neither the session nor its lines have one, and no defaults', () =>
    expect(clientSessionAnswer(sessionOf({ paymentMethod: {} }))).to.deep.equal({}));
  it('leaves out null, {} and [], and keeps 0, false and the empty string', () => {
    const fields = {
      customer: { firstName: '', billingAddress: {} },
      order: { lineItems: [{ amount: 0, productData: {} }], fees: [], shipping: {} },
      paymentMethod: { vaultOnSuccess: false, orderedAllowedCardNetworks: [], options: {} },
    };
    expect(clientSessionAnswer(sessionOf(fields))).to.deep.equal({
      amount: 0,
      customer: { firstName: '' },
      order: { lineItems: [{ amount: 0 }] },
      paymentMethod: { vaultOnSuccess: false },
    });
  });
  it('has metadata word for word', () => {
    const metadata = { z: null, a: {}, b: [[], 1.5, { c: null }] };
    expect(JSON.stringify(clientSessionAnswer(sessionOf({ metadata })))).to.equal(JSON.stringify({ metadata }));
  });
  it('leaves out account, times and payment', () =>
    expect(
      clientSessionAnswer({
        ...sessionOf({ orderId: 'o' }),
        payment: { paymentId: 'pay_1', claimedAt: AT, abandonAfter: AT },
      }),
    ).to.deep.equal({
      orderId: 'o',
    }));
  it('carries warnings where there are any', () => {
    const answer = clientSessionAnswer(sessionOf({ orderId: 'o' }), [
      { code: 'FIELDS_OVERWRITTEN', paths: ['$.customer.firstName'] },
    ]);
    expect(ClientSessionAnswer.parse(answer)).to.deep.equal({
      orderId: 'o',
      warnings: [{ code: 'FIELDS_OVERWRITTEN', paths: ['$.customer.firstName'] }],
    });
  });
  it('carries the token and its expiry after the creation', () => {
    const answer = createdClientSessionAnswer(sessionOf({ orderId: 'o' }), 'a.b.c', AT + DAY_MS);
    expect(CreatedClientSessionAnswer.parse(answer)).to.deep.equal({
      orderId: 'o',
      clientToken: 'a.b.c',
      clientTokenExpirationDate: '2026-01-02T00:00:00.000Z',
    });
    expect(ClientTokenAnswer.parse(clientTokenAnswer('a.b.c', AT))).to.deep.equal({
      clientToken: 'a.b.c',
      clientTokenExpirationDate: '2026-01-01T00:00:00.000Z',
    });
  });
});
