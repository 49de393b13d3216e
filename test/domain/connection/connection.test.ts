// A connection: what operators make, change and disable.
import { expect } from 'chai';
import {
  type ConnectionEvent,
  connection,
  isProven,
  recordProof,
  rotateReferences,
  validSecrets,
} from '../../../src/domain/connection.ts';
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
  describe('with a new webhook secret', () => {
    const DAY_MS = 86_400_000;
    const [first, second, third] = ['env:FIRST', 'env:SECOND', 'env:THIRD'];
    const secrets = { secretKey: 'env:KEY', webhookSecret: first };
    const begun: ConnectionEvent = { type: 'ConnectionCreated', data: { ...made, secrets } };
    const rotated = (webhookSecret: string, previousWebhookSecret?: string): ConnectionEvent => ({
      type: 'ConnectionChanged',
      data: {
        secrets: { ...secrets, webhookSecret, ...(previousWebhookSecret !== undefined && { previousWebhookSecret }) },
      },
    });
    const both = rotated(second, first);
    const end = 1_001 + DAY_MS; // the second event is of 1001

    it('accepts the previous one for 24 hours, whatever else is rotated meanwhile', () => {
      given(begun)
        .when(rotateReferences({ webhookSecret: second }, 1_001))
        .then(both);
      const otherKey: ConnectionEvent = {
        type: 'ConnectionChanged',
        data: { secrets: { secretKey: 'env:OTHER', webhookSecret: second, previousWebhookSecret: first } },
      };
      const later = given(begun, both).when(rotateReferences({ secretKey: 'env:OTHER' }, end - 1));
      later.then(otherKey);
      const { state } = later;
      if (state.status === 'absent') throw new Error('it is absent');
      expect(state.previousWebhookSecretUntil).to.equal(end);
      expect(validSecrets(state, end - 1)).to.have.property('previousWebhookSecret', first);
      expect(validSecrets(state, end)).to.deep.equal({ secretKey: 'env:OTHER', webhookSecret: second });
    });
    it('is refused a third while the first is valid, unless that is dropped', () => {
      given(begun, both)
        .when(rotateReferences({ webhookSecret: third }, end - 1))
        .thenRejected('Conflict');
      given(begun, both)
        .when(rotateReferences({ webhookSecret: third }, end))
        .then(rotated(third, second));
      given(begun, both)
        .when(rotateReferences({ webhookSecret: third, dropPrevious: true }, 1_002))
        .then(rotated(third, second));
      given(begun, both)
        .when(rotateReferences({ dropPrevious: true }, 1_002))
        .then(rotated(second));
      given(begun)
        .when(rotateReferences({ dropPrevious: true }, 1_002))
        .thenNothing();
    });
    it('is refused the reference that it has, and may go back to the previous reference', () => {
      given(begun)
        .when(rotateReferences({ webhookSecret: first }, 1_001))
        .thenRejected('Conflict');
      given(begun, both)
        .when(rotateReferences({ webhookSecret: first }, 1_002))
        .then(rotated(first, second));
    });
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
