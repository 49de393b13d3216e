// What counts as made with an older secret, and for how long.
import { expect } from 'chai';
import { madeWithOlderSecrets } from '../../src/cli/admin/secrets.ts';
import { apiKey } from '../../src/domain/api-key.ts';
import type { DomainEvent } from '../../src/domain/category.ts';
import { accept, type Decider } from '../../src/domain/decider.ts';
import { store } from '../../src/domain/store.ts';
import { user } from '../../src/domain/user/state.ts';
import { STORE_ID } from '../../src/journal/store-stamp.ts';
import { Streams } from '../../src/journal/streams.ts';
import { transact } from '../../src/journal/transact.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import type { World } from '../../src/world.ts';
import { calmWorld } from '../support/calm-world.ts';

const HOUR_MS = 3_600_000;

describe('what an older secret is still needed for', () => {
  let now = calmWorld.now();
  const world: World = { ...calmWorld, now: () => now };
  const events = openMemoryEventStore();
  const streamsOf = <State extends object, Event extends DomainEvent>(of: Decider<State, Event>) =>
    new Streams(of, { events, world, report: () => undefined }, async () => undefined);
  const record = async <State extends object, Event extends DomainEvent>(
    of: Decider<State, Event>,
    id: string,
    ...added: Event[]
  ): Promise<void> => {
    const context = {
      accountId: 'acc_1',
      actor: { kind: 'operator' as const, id: 'test' },
      at: world.now(),
      correlationId: 'r',
      operationId: 'o',
    };
    await transact(streamsOf(of), id, context, () => accept(...added));
    now += 1_000;
  };
  const found = () => madeWithOlderSecrets(events, world.now(), new AbortController().signal);
  const key = (name: string) => ({
    type: 'ApiKeyCreated' as const,
    data: {
      accountId: 'acc_1',
      name,
      scopes: [],
      secretHash: 'h',
      createdAt: world.now(),
      purpose: 'merchant' as const,
    },
  });
  const hook = (webhookId: string) => ({
    type: 'IncomingWebhookAdded' as const,
    data: { webhookId, processor: 'sandbox', tokenHash: 'h' },
  });
  const signedIn = (sessionId: string) => ({
    type: 'SignedIn' as const,
    data: {
      sessionId,
      secretHash: 'h',
      expiresAt: world.now() + 40 * HOUR_MS,
      at: world.now(),
      by: 'password',
      address: '',
      device: '',
    },
  });
  const invited = {
    type: 'UserInvited' as const,
    data: { accountId: 'acc_1', email: 'ada@mail.example', role: 'owner' },
  };
  const factor = {
    type: 'TwoFactorSet' as const,
    data: { sealedSecret: 's', recoveryHashes: ['r'], codeStep: 1 },
  };

  it('is nothing before a rotation', async () => {
    const data = { mode: 'test' as const, wrappedStoreKey: 'w', createdAt: world.now(), eventSchema: 1 };
    await record(store, STORE_ID, { type: 'StoreCreated', data });
    for (const id of ['key_kept', 'key_rotated', 'key_revoked']) await record(apiKey, id, key(id));
    await record(apiKey, 'key_kept', hook('whk_kept'), hook('whk_revoked'));
    await record(user, 'usr_1', invited, factor);
    await record(user, 'usr_2', invited, factor);
    await record(user, 'usr_1', signedIn('older'));
    expect(await found()).to.deep.equal({ apiKeys: [], incomingWebhooks: [], recoveryCodes: [] });
  });

  it('is what was made before it and is not over, rotated or revoked', async () => {
    const rotatedAt = world.now();
    await record(store, STORE_ID, { type: 'StoreKeyRewrapped', data: { wrappedStoreKey: 'x' } });
    await record(apiKey, 'key_rotated', {
      type: 'ApiKeyRotated',
      data: { secretHash: 'i', previousExpiresAt: world.now() },
    });
    await record(apiKey, 'key_revoked', { type: 'ApiKeyRevoked', data: {} });
    await record(apiKey, 'key_kept', { type: 'IncomingWebhookRevoked', data: { webhookId: 'whk_revoked' } });
    await record(apiKey, 'key_new', key('new'), hook('whk_new'));
    await record(user, 'usr_2', factor);
    const inUse = await found();
    expect(inUse).to.deep.include({
      rotatedAt,
      apiKeys: ['key_kept'],
      incomingWebhooks: ['whk_kept'],
      recoveryCodes: ['usr_1'],
    });
    expect(inUse.endsAt, 'the session lives longer than a client token').to.be.greaterThan(rotatedAt + 39 * HOUR_MS);
  });

  it('ends with the last session and link', async () => {
    now += 40 * HOUR_MS;
    expect(await found()).to.not.have.property('endsAt');
  });
});
