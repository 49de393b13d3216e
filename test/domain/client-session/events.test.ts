// Client sessions that were recorded before events had their present shape.
import { expect } from 'chai';
import { clientSessionCategory } from '../../../src/domain/client-session/events.ts';
import { type ClientSession, clientSession } from '../../../src/domain/client-session/state.ts';
import { hashOf, unseal } from '../../../src/journal/envelope.ts';
import { AT, created, DAY_MS, sessionA } from './sessions.ts';

const context = {
  accountId: 'acc_1',
  actor: { kind: 'apiKey', id: 'key_1' },
  recordedAt: AT,
  $correlationId: 'r',
  $causationId: 'r',
  operationId: 'op',
  previousHash: '',
};
const stored = (schemaVersion: number, data: object) => ({
  id: '7b3f9a52-7d7a-4c0e-9f0a-000000000000',
  type: 'ClientSessionCreated',
  data: JSON.stringify(data),
  metadata: JSON.stringify({ ...context, schemaVersion }),
  stream: 'clientSession-cs_1',
  revision: 0,
  position: 0n,
});

describe('ClientSessionCreated of version 1', () => {
  const first = stored(1, { accountId: 'acc_1', fields: sessionA, createdAt: AT });

  it('had one token for good, which lived a day from the creation', () => {
    const { event, recorded } = unseal(clientSessionCategory, first);
    expect(event).to.deep.equal(created());
    const session: ClientSession = clientSession.evolve(clientSession.initial, event, recorded);
    expect(session).to.deep.include({ status: 'open', tokenIssuedAt: AT, tokenExpiresAt: AT + DAY_MS });
  });

  it('stays as it was written, so that the chain over it holds', () => {
    const before = hashOf(first);
    unseal(clientSessionCategory, first);
    expect(hashOf(first)).to.equal(before);
  });

  it('must have been one', () =>
    expect(() => unseal(clientSessionCategory, stored(1, { accountId: 'acc_1', fields: {} }))).to.throw('createdAt'));

  it('is told from version 2', () => {
    expect(unseal(clientSessionCategory, stored(2, created().data)).event).to.deep.equal(created());
    expect(() => unseal(clientSessionCategory, stored(3, created().data))).to.throw('unknown version 3');
  });
});
