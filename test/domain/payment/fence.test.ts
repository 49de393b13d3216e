// A preparation that goes on record before the call, and the fence that settles what nobody answered.
import { expect } from 'chai';
import type { Decision } from '../../../src/domain/decider.ts';
import { callHasEnded } from '../../../src/domain/payment/attempt.ts';
import { endAction } from '../../../src/domain/payment/authentication.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { attemptAskedFor } from '../../../src/domain/payment/fact-names.ts';
import { settleFenced } from '../../../src/domain/payment/fence.ts';
import { recordLookUp } from '../../../src/domain/payment/look-up.ts';
import type { NotFound, Preparation, TakenBack } from '../../../src/domain/payment/outcome.ts';
import { dueLookUpAt, isOver } from '../../../src/domain/payment/queries.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  actionRequired,
  authorizationRequested,
  authorized,
  created,
  id,
  known,
  pending,
  place,
  timing,
} from './story.ts';

const given = givenOf(payment);
const attemptId = id('a');
const evidence = { source: 'lookup' } as const;
const prepared: Preparation = { kind: 'prepared', processorTransactionId: 'pi_1' };
const toBePrepared: readonly PaymentEvent[] = [
  created(),
  { ...authorizationRequested, data: { ...authorizationRequested.data, prepares: true } },
];
const onRecord: PaymentEvent = {
  type: 'AuthorizationPrepared',
  data: {
    attemptId,
    evidence: { source: 'answer' },
    processorTransactionId: 'pi_1',
    sendBy: timing.sendBy,
    nextLookUpAt: timing.callEndsAt,
  },
};
const prepare = settleAttempt({
  ...timing,
  attemptId,
  outcome: prepared,
  evidence: { source: 'answer' },
  source: 'answer',
});
const notFound: NotFound = { kind: 'not_found' };
const released: TakenBack = { kind: 'released', processorTransactionId: 'pi_1', amount: 1_000, currencyCode: 'EUR' };
const fence = (found: NotFound | TakenBack) =>
  settleFenced({ ...timing, attemptId, found, evidence, source: 'lookup' });
const eventsOf = (decision: Decision<PaymentEvent>): readonly PaymentEvent[] =>
  decision.kind === 'accepted' ? decision.events : expect.fail(decision.description);
const fenced: PaymentEvent = { type: 'AttemptFenced', data: { attemptId, operation: 'authorization', evidence } };
const nothing: PaymentEvent = { type: 'AuthorizationNotFound', data: { attemptId, evidence } };

describe('an authorization that is prepared first', () => {
  it('has its name on record, and asks for its call', () => {
    const after = given(...toBePrepared).when(prepare);
    after.then(onRecord);
    expect(attemptAskedFor([onRecord])).to.equal(attemptId);
    expect(known(after.state).attempts[0]).to.include({ state: 'open', processorTransactionId: 'pi_1' });
    expect(known(after.state).attempts[0]).not.to.have.property('answeredRevision');
  });

  it('is prepared once, and never after others have given it up', () => {
    given(...toBePrepared, onRecord)
      .when(prepare)
      .thenNothing();
    given(...toBePrepared, { type: 'AuthorizationNotSent', data: { attemptId, evidence } })
      .when(prepare)
      .thenNothing();
  });

  it('has a call that may be under way, until its own answer is on record', () => {
    const attempt = known(given(...toBePrepared, onRecord).state).attempts[0];
    expect(attempt && callHasEnded(attempt)).to.equal(false);
    const answer: PaymentEvent = {
      type: 'AuthorizationOutcomeUnknown',
      data: { attemptId, evidence: { source: 'answer' }, nextLookUpAt: timing.callEndsAt },
    };
    const answered = known(given(...toBePrepared, onRecord, answer).state).attempts[0];
    expect(answered && callHasEnded(answered)).to.equal(true);
  });

  it('is not sent where the payment is to be cancelled meanwhile', () => {
    given(...toBePrepared, { type: 'CancellationIntended', data: { attemptId: id('x') } })
      .when(prepare)
      .then({ type: 'AuthorizationNotSent', data: { attemptId, evidence: { source: 'answer' } } });
  });

  it('is nothing of an authorization that needs no preparation', () => {
    given(...pending)
      .when(prepare)
      .thenNothing();
  });
});

describe('a fence of an attempt whose outcome is unknown', () => {
  it('is proof where nothing had happened', () => {
    const after = given(...pending).when(fence(notFound));
    after.then(fenced, nothing);
    expect(known(after.state).status).to.equal('FAILED');
    expect(known(after.state).attempts[0]).to.include({ state: 'not_found', fenced: true });
  });

  it('is its own void where it took a success back: nothing is held, and nothing is sent', () => {
    const events = eventsOf(fence(released)(given(...pending).state));
    const after = given(...pending, ...events);
    const moved = { processorTransactionId: 'pi_1', ...place };
    const [, , late, request, voided] = events;
    expect(events.map(({ type }) => type)).to.deep.equal([
      'AttemptFenced',
      'AuthorizationNotFound',
      'LateSuccessRecorded',
      'CancellationRequested',
      'AuthorizationVoided',
    ]);
    expect(late?.data).to.deep.include({ ...moved, amount: 1_000, currencyCode: 'EUR', operation: 'authorization' });
    expect(request?.data).to.deep.include({ follows: { attemptId, because: 'late_success' } });
    expect(voided?.data).to.deep.equal({ attemptId: `${attemptId}-void`, evidence, ...moved });
    expect(attemptAskedFor(events)).to.equal(undefined);
    expect(known(after.state)).to.include({ status: 'FAILED', amountAuthorized: 0, amountCapturable: 0 });
  });

  it('changes nothing that was settled meanwhile', () => {
    given(...authorized)
      .when(fence(notFound))
      .thenNothing();
  });

  it('ends the hold of a success that was booked before the fence said that it took it back', () => {
    for (const decide of [
      fence(released),
      endAction({
        ...timing,
        attemptId,
        evidence,
        source: 'lookup',
        found: released,
        isFenced: true,
        wasGivenUp: false,
      }),
    ]) {
      const after = given(...authorized).when(decide);
      after.then({
        type: 'AuthorizationExpired',
        data: { amount: 1_000, currencyCode: 'EUR', evidence, ...place },
      });
      expect(known(after.state)).to.include({ status: 'CANCELLED', amountCapturable: 0 });
    }
  });

  it('takes a success back after its customer has come back', () => {
    const resumed: PaymentEvent = { type: 'AuthorizationResumed', data: { attemptId, sendBy: 1, nextLookUpAt: 2 } };
    const before = given(...pending, actionRequired, resumed).state;
    const events = eventsOf(fence(released)(before));
    expect(events.map(({ type }) => type)).to.include.members(['CustomerActionExpired', 'AuthorizationVoided']);
    const after = given(...pending, actionRequired, resumed, ...events);
    expect(known(after.state)).to.include({ status: 'FAILED', amountAuthorized: 0 });
  });

  it('takes a success back where the customer was to act', () => {
    const found = { ...timing, attemptId, evidence, source: 'lookup' as const, found: released };
    const before = given(...pending, actionRequired).state;
    const events = eventsOf(endAction({ ...found, isFenced: true, wasGivenUp: false })(before));
    const after = given(...pending, actionRequired, ...events);
    expect(events.map(({ type }) => type)).to.deep.equal([
      'AttemptFenced',
      'CustomerActionExpired',
      'LateSuccessRecorded',
      'CancellationRequested',
      'AuthorizationVoided',
    ]);
    expect(known(after.state)).to.include({ status: 'FAILED', amountAuthorized: 0 });
  });
});

describe('a refusal that is not final at the processor', () => {
  const refused = (before: readonly PaymentEvent[]) =>
    eventsOf(
      settleAttempt({
        ...timing,
        attemptId,
        outcome: { kind: 'declined', code: 'DO_NOT_HONOR', declineType: 'SOFT', fence: 'owed' },
        evidence,
        source: 'answer',
      })(given(...before).state),
    );
  const [plain, afterAction] = [pending, [...pending, actionRequired]].map((before) => {
    const events = refused(before);
    return { all: [...before, ...events], state: known(given(...before, ...events).state) };
  });
  if (plain === undefined || afterAction === undefined) throw new Error('unreachable');

  it('is fenced at once, and lets its session go if its customer was sent nowhere', () => {
    expect(dueLookUpAt(plain.state)).to.equal(timing.at);
    expect(plain.state.status).to.equal('DECLINED');
    expect(isOver(plain.state)).to.equal(true);
  });

  it('keeps its session until the fence, if a page may confirm it again', () => {
    expect(dueLookUpAt(afterAction.state)).to.equal(timing.callEndsAt);
    expect(afterAction.state.status).to.equal('DECLINED');
    expect(isOver(afterAction.state)).to.equal(false);
    const after = given(...afterAction.all).when(fence(notFound));
    after.then(fenced);
    expect(isOver(after.state)).to.equal(true);
    expect(dueLookUpAt(after.state)).to.equal(undefined);
    given(...afterAction.all, fenced)
      .when(fence(notFound))
      .thenNothing();
  });

  it('is asked about again after a fence without an answer', () => {
    const made = { attemptId, processorTransactionId: undefined, evidence, nextLookUpAt: timing.at + 60_000 };
    const asked = given(...plain.all).when(recordLookUp({ ...made, answer: 'unreachable' }));
    asked.then({
      type: 'LookUpRecorded',
      data: { attemptId, operation: 'authorization', answer: 'unreachable', evidence, nextLookUpAt: made.nextLookUpAt },
    });
    expect(dueLookUpAt(asked.state)).to.equal(made.nextLookUpAt);
    given(...plain.all, fenced)
      .when(recordLookUp({ ...made, answer: 'unreachable' }))
      .thenNothing();
  });

  it('holds nothing if the fence takes a second confirmation back', () => {
    const events = eventsOf(fence(released)(given(...afterAction.all).state));
    expect(events.map(({ type }) => type)).to.deep.equal([
      'AttemptFenced',
      'LateSuccessRecorded',
      'CancellationRequested',
      'AuthorizationVoided',
    ]);
    const after = known(given(...afterAction.all, ...events).state);
    expect(after).to.include({ status: 'DECLINED', amountAuthorized: 0, amountCapturable: 0 });
    expect(isOver(after)).to.equal(true);
  });

  it('owes no fence if it was fenced before it was told', () => {
    const before = [...pending, fenced];
    const events = refused(before);
    expect(dueLookUpAt(given(...before, ...events).state)).to.equal(undefined);
  });
});
