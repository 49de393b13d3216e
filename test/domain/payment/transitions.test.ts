// The table of transitions, row by row (contract §4).
import { expect } from 'chai';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { PaymentStatus } from '../../../src/domain/payment/payment.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { givenOf } from '../../support/given.ts';
import {
  adjustmentRequested,
  authorizationRequested,
  authorized,
  cancellationRequested,
  captureRequested,
  created,
  estimated,
  holdExpired,
  isPending,
  isUnknown,
  known,
  partlySettled,
  pending,
  refundRequested,
  settled,
  wasDeclined,
  wasNotFound,
  wasNotSent,
  wentThrough,
} from './story.ts';

const given = givenOf(payment);
const automatic = [
  created({}, { captureMode: 'AUTOMATIC' }),
  authorizationRequested,
  wentThrough('a', 'authorization', 1_000),
];
const settling = [...authorized, captureRequested('c', 1_000), isPending('c', 'capture')];
const settlingMore = [...partlySettled, captureRequested('d', 600), isPending('d', 'capture')];

const rows: readonly (readonly [
  from: PaymentStatus,
  to: PaymentStatus,
  by: string,
  before: readonly PaymentEvent[],
  PaymentEvent,
])[] = [
  ['PENDING', 'PENDING', 'an accepted authorization', pending, isPending('a', 'authorization')],
  ['PENDING', 'PENDING', 'an unknown authorization', pending, isUnknown('a', 'authorization')],
  ['PENDING', 'AUTHORIZED', 'an approved authorization', pending, wentThrough('a', 'authorization', 1_000)],
  ['PENDING', 'DECLINED', 'a declined authorization', pending, wasDeclined('a', 'authorization')],
  ['PENDING', 'FAILED', 'an authorization that was not sent', pending, wasNotSent('a', 'authorization')],
  ['PENDING', 'FAILED', 'an authorization that the processor never saw', pending, wasNotFound('a', 'authorization')],
  [
    'AUTHORIZED',
    'SETTLED',
    'a capture of all',
    [...authorized, captureRequested('c', 1_000)],
    wentThrough('c', 'capture', 1_000),
  ],
  [
    'AUTHORIZED',
    'SETTLED',
    'an automatic capture',
    [...automatic, captureRequested('c', 1_000)],
    wentThrough('c', 'capture', 1_000),
  ],
  [
    'AUTHORIZED',
    'SETTLING',
    'an automatic capture, asynchronous',
    [...automatic, captureRequested('c', 1_000)],
    isPending('c', 'capture'),
  ],
  [
    'AUTHORIZED',
    'PARTIALLY_SETTLED',
    'an automatic one of less',
    [...automatic, captureRequested('c', 1_000)],
    wentThrough('c', 'capture', 7),
  ],
  [
    'AUTHORIZED',
    'AUTHORIZED',
    'a refused automatic capture',
    [...automatic, captureRequested('c', 1_000)],
    wasDeclined('c', 'capture'),
  ],
  [
    'AUTHORIZED',
    'SETTLING',
    'an asynchronous capture',
    [...authorized, captureRequested('c', 1_000)],
    isPending('c', 'capture'),
  ],
  [
    'AUTHORIZED',
    'PARTIALLY_SETTLED',
    'a part',
    [...authorized, captureRequested('c', 1, false)],
    wentThrough('c', 'capture', 1),
  ],
  [
    'AUTHORIZED',
    'PARTIALLY_SETTLED',
    'a final part',
    [...authorized, captureRequested('c', 1)],
    wentThrough('c', 'capture', 1),
  ],
  [
    'AUTHORIZED',
    'AUTHORIZED',
    'a refused capture',
    [...authorized, captureRequested('c', 1)],
    wasDeclined('c', 'capture'),
  ],
  [
    'AUTHORIZED',
    'AUTHORIZED',
    'an unknown capture',
    [...authorized, captureRequested('c', 1)],
    isUnknown('c', 'capture'),
  ],
  [
    'AUTHORIZED',
    'CANCELLED',
    'a void',
    [...authorized, cancellationRequested('v')],
    wentThrough('v', 'cancellation', 0),
  ],
  ['AUTHORIZED', 'CANCELLED', 'expiry', authorized, holdExpired],
  [
    'AUTHORIZED',
    'AUTHORIZED',
    'an adjustment',
    [...estimated, adjustmentRequested('j', 900)],
    wentThrough('j', 'adjustment', 900),
  ],
  [
    'PARTIALLY_SETTLED',
    'PARTIALLY_SETTLED',
    'more',
    [...partlySettled, captureRequested('d', 1, false)],
    wentThrough('d', 'capture', 1),
  ],
  [
    'PARTIALLY_SETTLED',
    'SETTLED',
    'the rest',
    [...partlySettled, captureRequested('d', 600)],
    wentThrough('d', 'capture', 600),
  ],
  [
    'PARTIALLY_SETTLED',
    'SETTLED',
    'the rest, not final',
    [...partlySettled, captureRequested('d', 600, false)],
    wentThrough('d', 'capture', 600),
  ],
  [
    'PARTIALLY_SETTLED',
    'SETTLING',
    'an asynchronous rest',
    [...partlySettled, captureRequested('d', 600)],
    isPending('d', 'capture'),
  ],
  [
    'PARTIALLY_SETTLED',
    'PARTIALLY_SETTLED',
    'release',
    [...partlySettled, cancellationRequested('v')],
    wentThrough('v', 'cancellation', 0),
  ],
  ['SETTLING', 'SETTLED', 'confirmation', settling, wentThrough('c', 'capture', 1_000)],
  ['SETTLING', 'PARTIALLY_SETTLED', 'confirmation of a part', settling, wentThrough('c', 'capture', 999)],
  ['SETTLING', 'AUTHORIZED', 'a refused first capture', settling, wasDeclined('c', 'capture')],
  ['SETTLING', 'SETTLED', 'confirmation of the rest', settlingMore, wentThrough('d', 'capture', 600)],
  ['SETTLING', 'PARTIALLY_SETTLED', 'a refused further capture', settlingMore, wasDeclined('d', 'capture')],
  ['SETTLED', 'SETTLED', 'a refund', [...settled, refundRequested('r', 1_000, 'c')], wentThrough('r', 'refund', 1_000)],
  ['SETTLED', 'SETTLED', 'a pending refund', [...settled, refundRequested('r', 1, 'c')], isPending('r', 'refund')],
  [
    'PARTIALLY_SETTLED',
    'PARTIALLY_SETTLED',
    'a refund',
    [...partlySettled, refundRequested('r', 400, 'c')],
    wentThrough('r', 'refund', 400),
  ],
];

describe('the transitions of a payment', () => {
  it('begin with PENDING', () => {
    expect(known(given(...pending).state).status).to.equal('PENDING');
  });

  for (const [from, to, by, before, event] of rows) {
    it(`${from} becomes ${to} by ${by}`, () => {
      expect([known(given(...before).state).status, known(given(...before, event).state).status]).to.deep.equal([
        from,
        to,
      ]);
    });
  }
});
