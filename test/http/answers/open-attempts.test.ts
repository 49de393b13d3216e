// Open attempts for people: until when a customer can act, and a success of another amount.
import { expect } from 'chai';
import { derivedStatusesOf } from '../../../src/domain/payment/derived-status.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { type OpenAttemptView, openAttemptViews } from '../../../src/http/answers/open-attempts.ts';
import { formatTime } from '../../../src/world.ts';
import {
  AT,
  actionRequired,
  answeredWrongly,
  authorizationRequested,
  authorized,
  captureRequested,
  created,
} from '../../domain/payment/story.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(payment);
const THREE_DAYS_MS = 3 * 86_400_000;

describe('the open attempts of a payment', () => {
  const viewsOf = async (...events: readonly PaymentEvent[]): Promise<readonly OpenAttemptView[]> => {
    const { state } = given(...events);
    if (!isKnown(state)) throw new Error('no payment');
    return openAttemptViews(state, () => []);
  };

  it('have the end of a voucher, and not the day on which the processor is asked about it', async () => {
    const expiresAt = AT + THREE_DAYS_MS;
    const action = { kind: 'show', data: { reference: '123' } } as const;
    const shown = { ...actionRequired, data: { ...actionRequired.data, action, expiresAt } };
    const [voucher] = await viewsOf(created(), authorizationRequested, shown);
    expect(voucher?.actionEndsAt).to.equal(formatTime(expiresAt));
    expect(voucher?.lookUpAt).not.to.equal(voucher?.actionEndsAt);
  });

  it('have the amount of a success that differs once nobody asks again', async () => {
    const wrong = answeredWrongly('c', 'capture', 400, 'USD');
    if (wrong.type !== 'MismatchRecorded') throw new Error(wrong.type);
    const { nextLookUpAt: _never, ...data } = wrong.data;
    const story = [...authorized, captureRequested('c', 500)];
    const [found] = await viewsOf(...story, { ...wrong, data });
    expect([found?.mismatch, found?.lookUpAt]).to.deep.equal([{ amount: 400, currencyCode: 'USD' }, null]);
    const derivedOf = ({ state }: ReturnType<typeof given>) => (isKnown(state) ? derivedStatusesOf(state) : []);
    expect(derivedOf(given(...story, { ...wrong, data }))).to.deep.equal(['AMOUNT_DIFFERS']);
    expect(derivedOf(given(...story, wrong))).to.deep.equal([]);
    const [asked] = await viewsOf(...story, wrong);
    expect([asked?.mismatch, asked?.lookUpAt === null]).to.deep.equal([undefined, false]);
  });
});
