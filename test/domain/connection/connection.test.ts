// A connection: what operators make, change and disable.
import { expect } from 'chai';
import { recordProof } from '../../../src/domain/connection/decide.ts';
import type { ConnectionEvent } from '../../../src/domain/connection/events.ts';
import { connection, isProven } from '../../../src/domain/connection/state.ts';
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
  it('is proven at its server by a run, until a later one fails', () => {
    const atProcessor = given(created).when(recordProof(true));
    atProcessor.then({ type: 'ConnectionChanged', data: { burnProven: 'acquirer' } });
    expect(atProcessor.state).to.deep.equal({ status: 'active', ...made, burnProven: 'acquirer' });
    const elsewhere: ConnectionEvent = { type: 'ConnectionCreated', data: { ...made, apiUrl: 'http://twin' } };
    const proven: ConnectionEvent = { type: 'ConnectionChanged', data: { burnProven: 'http://twin' } };
    given(elsewhere).when(recordProof(true)).then(proven);
    given(elsewhere, proven).when(recordProof(true)).thenNothing();
    const failed = given(elsewhere, proven).when(recordProof(false));
    failed.then({ type: 'ConnectionChanged', data: { burnProven: null } });
    expect(failed.state).to.deep.equal({ status: 'active', ...made, apiUrl: 'http://twin' });
    given(created).when(recordProof(false)).thenNothing();
    given(created, { type: 'ConnectionDisabled', data: {} }).when(recordProof(true)).thenRejected('Conflict');
  });
  it('is proven nowhere else than at its server', () => {
    const other: ConnectionEvent = { type: 'ConnectionChanged', data: { burnProven: 'http://twin' } };
    const { state } = given(created, other);
    expect(state.status !== 'absent' && isProven(state)).to.equal(false);
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
