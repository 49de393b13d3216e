// A second authorization at another connection as the domain decides it: one append with the refusal, and an earlier
// success that is taken back where it happened.
import { expect } from 'chai';
import type { Fact } from '../../../src/domain/payment/events.ts';
import type { Outcome } from '../../../src/domain/payment/outcome.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import { AT, authorizationRequested, created, id, success, timing } from './story.ts';

const given = givenOf(payment);
const attemptId = id('a');
const answer = { source: 'answer', sentAt: AT } as const;
const chosen: Fact<'RouteChosen'> = {
  type: 'RouteChosen',
  data: {
    attemptId,
    version: 3,
    rule: 'default',
    connectionId: 'sandbox',
    skipped: [],
    fallback: {
      connections: [
        { processor: 'sandbox', connectionId: 'con_2', processorToken: 'two' },
        { processor: 'sandbox', connectionId: 'con_3', processorToken: 'three' },
      ],
      on: ['NOT_SENT', 'SOFT'],
      never: ['INSUFFICIENT_FUNDS'],
      mostAttempts: 2,
    },
  },
};
const routed = [created(), chosen, authorizationRequested];
const notSent: Outcome = { kind: 'not_sent', detail: 'connection refused' };
const settledBy = (outcome: Outcome, more: object = {}) =>
  settleAttempt({ attemptId, outcome, evidence: answer, source: 'answer', skip: () => undefined, ...timing, ...more });
const typesOf = (decision: ReturnType<ReturnType<typeof settleAttempt>>): readonly string[] =>
  decision.kind === 'accepted' ? decision.events.map(({ type }) => type) : [];

describe('a fallback', () => {
  const begun = given(...routed);

  it('is one append with the refusal, to the first connection that can be asked', () => {
    const skip = (connectionId: string) => (connectionId === 'con_2' ? ('circuit_open' as const) : undefined);
    const { state } = begun.when(settledBy(notSent, { skip }));
    if (!isKnown(state)) throw new Error(state.status);
    expect(state.status).to.equal('PENDING');
    expect(state.route).to.deep.include({
      attemptId: `${attemptId}-2`,
      connectionId: 'con_3',
      skipped: [{ connectionId: 'con_2', because: 'circuit_open' }],
    });
    expect(state.attempts.map(({ state: end, connectionId }) => [end, connectionId])).to.deep.equal([
      ['not_sent', 'sandbox'],
      ['open', 'con_3'],
    ]);
  });

  it('follows a refusal of the processor itself only where the rules name it', () => {
    const refused: Outcome = { kind: 'refused', code: 'AMOUNT_TOO_LARGE', detail: 'status 400' };
    const { fallback } = chosen.data;
    const on = (ends: string[], never: string[] = []) => {
      const data = { ...chosen.data, fallback: fallback && { ...fallback, on: ends, never } };
      const rules = { ...chosen, data } as const;
      return typesOf(settledBy(refused)(given(created(), rules, authorizationRequested).state));
    };
    const next = ['AuthorizationDeclined', 'RouteChosen', 'AuthorizationRequested'];
    expect(on(['NOT_SENT', 'REFUSED', 'SOFT'])).to.deep.equal(next);
    expect(on(['NOT_SENT', 'SOFT'])).to.deep.equal(['AuthorizationDeclined']);
    expect(on(['REFUSED'], ['AMOUNT_TOO_LARGE'])).to.deep.equal(['AuthorizationDeclined']);
  });

  it('is not decided for a look-up, a notification, or a caller who has waited too long', () => {
    const isAlone = (more: object): void => {
      expect(typesOf(settledBy(notSent, more)(begun.state))).to.deep.equal(['AuthorizationNotSent']);
    };
    isAlone({ skip: undefined });
    isAlone({ source: 'lookup' });
    isAlone({ source: 'notification' });
    isAlone({ at: AT + 25_000, sendBy: AT + 30_000, callEndsAt: AT + 55_000 });
    isAlone({ skip: () => 'disabled' });
  });

  it('ends with the second refusal where the rules allow two', () => {
    const second = begun.when(settledBy(notSent)).state;
    const again = settleAttempt({
      attemptId: `${attemptId}-2`,
      outcome: notSent,
      evidence: answer,
      source: 'answer',
      skip: () => undefined,
      ...timing,
    })(second);
    expect(typesOf(again)).to.deep.equal(['AuthorizationNotSent']);
  });

  it('voids a success of the first attempt that is reported later, at the connection of the first', () => {
    const decided = settledBy(notSent)(begun.state);
    const events = decided.kind === 'accepted' ? decided.events : [];
    const late = given(...routed, ...events).when(
      settleAttempt({
        attemptId,
        outcome: success('a', 1_000),
        evidence: { source: 'notification', notificationId: 'n', occurredAt: AT + 60_000 },
        source: 'notification',
        ...timing,
      }),
    ).state;
    if (!isKnown(late)) throw new Error(late.status);
    const [, second, taken] = late.attempts;
    expect(second).to.include({ state: 'open', connectionId: 'con_2' });
    expect(taken).to.include({ operation: 'cancellation', connectionId: 'sandbox' });
    expect(late.amountAuthorized).to.equal(0);
  });
});
