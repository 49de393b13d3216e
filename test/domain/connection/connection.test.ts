// A connection: what operators make, change and disable.
import { expect } from 'chai';
import type { ConnectionEvent } from '../../../src/domain/connection/events.ts';
import { connection } from '../../../src/domain/connection/state.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(connection);
const made = {
  accountId: 'acc_1',
  processor: 'acquirer',
  name: 'Acquirer EU',
  secrets: { apiKey: 'env:ACQUIRER_KEY' },
  createdAt: 7,
};
const created: ConnectionEvent = { type: 'ConnectionCreated', data: made };

describe('A connection', () => {
  it('is absent at first, and active once it is created', () => {
    expect(given().state).to.deep.equal({ status: 'absent' });
    expect(given(created).state).to.deep.equal({ status: 'active', ...made });
  });
  it('keeps what a change does not name', () => {
    const secrets = { apiKey: 'file:/run/secrets/key' };
    expect(given(created, { type: 'ConnectionChanged', data: { secrets } }).state).to.deep.equal({
      status: 'active',
      ...made,
      secrets,
    });
    const renamed: ConnectionEvent = { type: 'ConnectionChanged', data: { name: 'EU' } };
    expect(given(created, renamed).state).to.deep.equal({ status: 'active', ...made, name: 'EU' });
  });
  it('is disabled from the moment on record', () =>
    expect(given(created, { type: 'ConnectionDisabled', data: {} }).state).to.deep.equal({
      status: 'disabled',
      ...made,
      disabledAt: 1_001,
    }));
  it('is not changed before it is created', () =>
    expect(() => given({ type: 'ConnectionDisabled', data: {} }).state).to.throw('before ConnectionCreated'));
});
