// The stamp of a store: its mode for good, its key as the newest master secret wraps it.
import { expect } from 'chai';
import { LONGEST_OFFSET_MS, moveBusinessClock, type StoreEvent, store } from '../../../src/domain/store.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(store);
const created = {
  type: 'StoreCreated',
  data: { mode: 'test', wrappedStoreKey: 'first', createdAt: 7, eventSchema: 2 },
} as const satisfies StoreEvent;

describe('the stamp of a store', () => {
  it('is absent at first', () => expect(given().state).to.deep.equal({ status: 'absent' }));
  it('keeps mode and time when the key is wrapped again', () =>
    expect(given(created, { type: 'StoreKeyRewrapped', data: { wrappedStoreKey: 'second' } }).state).to.deep.equal({
      status: 'stamped',
      mode: 'test',
      wrappedStoreKey: 'second',
      createdAt: 7,
      eventSchema: 2,
      clockOffsetMs: 0,
    }));
});

describe('the business clock of a store', () => {
  const DAY = 86_400_000;
  const moved = (byMs: number, offsetMs: number): StoreEvent => ({
    type: 'BusinessClockMoved',
    data: { byMs, offsetMs },
  });

  it('is moved forward, on top of what it was moved before', () => {
    given(created)
      .when(moveBusinessClock(7 * DAY))
      .then(moved(7 * DAY, 7 * DAY));
    given(created, moved(7 * DAY, 7 * DAY))
      .when(moveBusinessClock(1))
      .then(moved(1, 7 * DAY + 1));
    expect(given(created, moved(7 * DAY, 7 * DAY)).state).to.include({ clockOffsetMs: 7 * DAY });
  });
  it('is never moved back, by nothing, or by part of a millisecond', () => {
    for (const byMs of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
      given(created).when(moveBusinessClock(byMs)).thenRejected('RequestValidationError');
  });
  it('is at most ten years ahead', () => {
    given(created).when(moveBusinessClock(LONGEST_OFFSET_MS)).then(moved(LONGEST_OFFSET_MS, LONGEST_OFFSET_MS));
    given(created, moved(DAY, DAY)).when(moveBusinessClock(LONGEST_OFFSET_MS)).thenRejected('RequestValidationError');
  });
  it('of live mode, or of no store, is nobody’s to move', () => {
    given().when(moveBusinessClock(DAY)).thenRejected('Conflict');
    given({ type: 'StoreCreated', data: { ...created.data, mode: 'live' } })
      .when(moveBusinessClock(DAY))
      .thenRejected('Conflict');
  });
});
