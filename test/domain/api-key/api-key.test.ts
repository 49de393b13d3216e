// API keys: made, rescoped, rotated with an overlap, revoked for good (contract §2).
import { expect } from 'chai';
import {
  type ApiKeyEvent,
  addIncomingWebhook,
  apiKey,
  createApiKey,
  createManagementKey,
  honouredHashes,
  honouredWebhooks,
  isUsable,
  keyIdOfWebhook,
  revokeApiKey,
  revokeIncomingWebhook,
  rotateApiKey,
  setApiKeyScopes,
} from '../../../src/domain/api-key.ts';
import { SCOPES } from '../../../src/domain/scopes.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(apiKey);
const creation = {
  accountId: 'acc_1',
  name: 'backend',
  scopes: ['transactions:capture' as const, 'client_tokens:write' as const],
  secretHash: 'first',
  expiresAt: 5_000,
  createdAt: 1_000,
  purpose: 'merchant' as const,
};
const made: ApiKeyEvent = {
  type: 'ApiKeyCreated',
  data: { ...creation, scopes: ['client_tokens:write', 'transactions:capture'] },
};
const rotated: ApiKeyEvent = { type: 'ApiKeyRotated', data: { secretHash: 'second', previousExpiresAt: 3_000 } };
const revoked: ApiKeyEvent = { type: 'ApiKeyRevoked', data: {} };

describe('a management key', () => {
  const { scopes: _none, purpose: _merchant, ...common } = creation;
  const management: ApiKeyEvent = {
    type: 'ManagementKeyCreated',
    data: { ...common, grants: ['client_tokens:write', 'transactions:capture'] },
  };

  it('is created once, without a scope, and never gets one', () => {
    given()
      .when(createManagementKey({ ...common, grants: ['transactions:capture', 'client_tokens:write'] }))
      .then(management);
    given(management)
      .when(createManagementKey({ ...common, grants: [] }))
      .thenNothing();
    expect(given(management).state).to.deep.include({ purpose: 'management', scopes: [] });
    given(management)
      .when(setApiKeyScopes(['transactions:capture']))
      .thenRejected('Conflict');
  });

  it('changes the scopes of another key, or its secret, within its grants alone', () => {
    const rotation = { secretHash: 'second', previousExpiresAt: 3_000 };
    const grants = ['client_tokens:write', 'transactions:capture'];
    given(made)
      .when(setApiKeyScopes(['transactions:refund'], grants))
      .thenRejected('InsufficientScope');
    given(made).when(rotateApiKey(rotation, grants)).then(rotated);
    given(made)
      .when(rotateApiKey(rotation, ['client_tokens:write']))
      .thenRejected('InsufficientScope');
  });
});

describe('an API key', () => {
  it('has nine scopes to choose from, and no more', () => expect(new Set(SCOPES)).to.have.property('size', 9));

  it('is made once, with each scope once and in order', () => {
    given()
      .when(createApiKey({ ...creation, scopes: [...creation.scopes, ...creation.scopes] }))
      .then(made);
    given(made).when(createApiKey(creation)).thenNothing();
  });

  it('is not called by a card number', () =>
    given()
      .when(createApiKey({ ...creation, name: '4242-4242-4242-4242' }))
      .thenRejected('CardNumberNotAllowed'));

  it('gets other scopes; the same scopes in another order change nothing', () => {
    given(made)
      .when(setApiKeyScopes(['transactions:refund']))
      .then({ type: 'ApiKeyScopesChanged', data: { scopes: ['transactions:refund'] } });
    given(made).when(setApiKeyScopes(creation.scopes)).thenNothing();
    given(made)
      .when(setApiKeyScopes([]))
      .then({ type: 'ApiKeyScopesChanged', data: { scopes: [] } });
  });

  it('gets another secret; the same secret again changes nothing', () => {
    given(made)
      .when(rotateApiKey({ secretHash: 'second', previousExpiresAt: 3_000 }))
      .then(rotated);
    given(made, rotated)
      .when(rotateApiKey({ secretHash: 'second', previousExpiresAt: 3_000 }))
      .thenNothing();
  });

  it('honours the old secret until the overlap ends', () => {
    const { state } = given(made, rotated);
    expect(honouredHashes(state, 2_999)).to.deep.equal(['second', 'first']);
    expect(honouredHashes(state, 3_000)).to.deep.equal(['second']);
  });

  it('honours one old secret at most', () => {
    const again: ApiKeyEvent = { type: 'ApiKeyRotated', data: { secretHash: 'third', previousExpiresAt: 4_000 } };
    expect(honouredHashes(given(made, rotated, again).state, 2_000)).to.deep.equal(['third', 'second']);
  });

  it('honours nothing from the moment it expires', () => {
    const { state } = given(made);
    expect(isUsable(state, 4_999)).to.equal(true);
    expect(honouredHashes(state, 4_999)).to.deep.equal(['first']);
    expect(isUsable(state, 5_000)).to.equal(false);
    expect(honouredHashes(state, 5_000)).to.deep.equal([]);
  });

  it('never expires without a date', () => {
    const { expiresAt, ...forever } = creation;
    expect(isUsable(given({ type: 'ApiKeyCreated', data: forever }).state, Number.MAX_SAFE_INTEGER)).to.equal(true);
  });

  it('is revoked once, and then honours nothing', () => {
    given(made).when(revokeApiKey()).then(revoked);
    given(made, revoked).when(revokeApiKey()).thenNothing();
    expect(honouredHashes(given(made, rotated, revoked).state, 2_000)).to.deep.equal([]);
    expect(given(made, revoked).state).to.include({ status: 'revoked', revokedAt: 1_001 });
  });

  it('cannot be changed after it was revoked', () => {
    given(made, revoked).when(setApiKeyScopes([])).thenRejected('Conflict');
    given(made, revoked)
      .when(rotateApiKey({ secretHash: 'second', previousExpiresAt: 3_000 }))
      .thenRejected('Conflict');
  });

  it('cannot be changed when it never was', () => {
    given().when(setApiKeyScopes([])).thenRejected('NotFound');
    given()
      .when(rotateApiKey({ secretHash: 'second', previousExpiresAt: 3_000 }))
      .thenRejected('NotFound');
    given().when(revokeApiKey()).thenRejected('NotFound');
    expect(honouredHashes(given().state, 0)).to.deep.equal([]);
  });

  describe('that may send notifications', () => {
    const trigger: ApiKeyEvent = {
      type: 'ApiKeyCreated',
      data: { ...creation, scopes: ['third_party:webhook_trigger'] },
    };
    const added = (place: number, tokenHash: string): ApiKeyEvent => ({
      type: 'IncomingWebhookAdded',
      data: { webhookId: `key_1.${place}`, processor: 'acquirer', tokenHash },
    });
    const ended: ApiKeyEvent = { type: 'IncomingWebhookRevoked', data: { webhookId: 'key_1.1' } };

    it('gets paths for one processor each, whose names show the key', () => {
      given(trigger)
        .when(addIncomingWebhook('key_1', { processor: 'acquirer', tokenHash: 'a' }))
        .then(added(1, 'a'));
      const { state } = given(trigger, added(1, 'a')).when(
        addIncomingWebhook('key_1', { processor: 'acquirer', tokenHash: 'b' }),
      );
      expect(honouredWebhooks(state, 'acquirer', 2_000)).to.deep.equal(['a', 'b']);
      expect(honouredWebhooks(state, 'another', 2_000)).to.deep.equal([]);
      expect(keyIdOfWebhook('key_1.2')).to.equal('key_1');
      expect(keyIdOfWebhook('nonsense')).to.equal('');
    });

    it('has twenty paths at most that are not revoked', () => {
      const twenty = Array.from({ length: 20 }, (_, at) => added(at + 1, `hash ${at}`));
      const one = addIncomingWebhook('key_1', { processor: 'acquirer', tokenHash: 'more' });
      given(trigger, ...twenty)
        .when(one)
        .thenRejected('Conflict');
      given(trigger, ...twenty, ended)
        .when(one)
        .then(added(21, 'more'));
    });

    it('honours none of them once it is revoked or has expired, and not one that was ended', () => {
      const both = [trigger, added(1, 'a'), added(2, 'b')];
      expect(honouredWebhooks(given(...both, ended).state, 'acquirer', 2_000)).to.deep.equal(['b']);
      expect(honouredWebhooks(given(...both).state, 'acquirer', 5_000)).to.deep.equal([]);
      expect(honouredWebhooks(given(...both, revoked).state, 'acquirer', 2_000)).to.deep.equal([]);
    });

    it('ends a path once, even if it is revoked itself, and none that it does not have', () => {
      given(trigger, added(1, 'a')).when(revokeIncomingWebhook('key_1.1')).then(ended);
      given(trigger, added(1, 'a'), revoked).when(revokeIncomingWebhook('key_1.1')).then(ended);
      given(trigger, added(1, 'a'), ended).when(revokeIncomingWebhook('key_1.1')).thenNothing();
      given(trigger).when(revokeIncomingWebhook('key_1.1')).thenRejected('NotFound');
      given().when(revokeIncomingWebhook('key_1.1')).thenRejected('NotFound');
    });

    it('gets no path without the scope, or after it was revoked', () => {
      for (const history of [[made], [trigger, revoked]])
        given(...history)
          .when(addIncomingWebhook('key_1', { processor: 'acquirer', tokenHash: 'a' }))
          .thenRejected('Conflict');
    });
  });
});
