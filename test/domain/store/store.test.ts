// The stamp of a store: its mode for good, its key as the newest master secret wraps it.
import { expect } from 'chai';
import type { StoreEvent } from '../../../src/domain/store/events.ts';
import { store } from '../../../src/domain/store/state.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(store);
const created: StoreEvent = { type: 'StoreCreated', data: { mode: 'test', wrappedStoreKey: 'first', createdAt: 7 } };

describe('the stamp of a store', () => {
  it('is absent at first', () => expect(given().state).to.deep.equal({ status: 'absent' }));
  it('keeps mode and time when the key is wrapped again', () =>
    expect(given(created, { type: 'StoreKeyRewrapped', data: { wrappedStoreKey: 'second' } }).state).to.deep.equal({
      status: 'stamped',
      mode: 'test',
      wrappedStoreKey: 'second',
      createdAt: 7,
    }));
});
