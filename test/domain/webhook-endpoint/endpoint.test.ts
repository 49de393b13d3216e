// Decisions on a webhook endpoint: its change and its end; and which messages it wants.
import { expect } from 'chai';
import {
  changeEndpoint,
  deleteEndpoint,
  disableEndpoint,
  endpointState,
  rotateSecret,
  type WebhookEndpointEvent,
  wantsMessage,
  webhookEndpoint,
} from '../../../src/domain/webhook-endpoint.ts';
import { givenOf } from '../../support/given.ts';

const URL = 'https://shop.example/webhooks';
const given = givenOf(webhookEndpoint);
const added = (events?: string[]): WebhookEndpointEvent => ({
  type: 'WebhookEndpointAdded',
  data: { accountId: 'acc_1', url: URL, addedAt: 1_000, ...(events !== undefined && { events }) },
});
const changed = (url: string, events?: string[]): WebhookEndpointEvent => ({
  type: 'WebhookEndpointChanged',
  data: { url, ...(events !== undefined && { events }) },
});
const disabled: WebhookEndpointEvent = { type: 'WebhookEndpointDisabled', data: { because: 'asked' } };
const deleted: WebhookEndpointEvent = { type: 'WebhookEndpointDeleted', data: {} };

describe('changing a webhook endpoint', () => {
  it('records the URL and the types, with those that stay', () => {
    given(added(['PAYMENT.STATUS']))
      .when(changeEndpoint({ url: 'https://shop.example/hooks' }))
      .then(changed('https://shop.example/hooks', ['PAYMENT.STATUS']));
    given(added())
      .when(changeEndpoint({ events: ['PAYMENT.REFUND'] }))
      .then(changed(URL, ['PAYMENT.REFUND']));
  });

  it('makes it want all types again with null', () => {
    given(added(['PAYMENT.STATUS']))
      .when(changeEndpoint({ events: null }))
      .then(changed(URL));
  });

  it('records nothing if nothing changes', () => {
    given(added(['PAYMENT.STATUS']))
      .when(changeEndpoint({ url: URL, events: ['PAYMENT.STATUS'] }))
      .thenNothing();
    given(added())
      .when(changeEndpoint({ events: null }))
      .thenNothing();
  });

  it('keeps the secret', () => {
    const { state } = given(added(), { type: 'WebhookSecretRotated', data: { previousExpiresAt: 9 } }).when(
      changeEndpoint({ url: 'https://shop.example/hooks' }),
    );
    expect(state).to.include({ rotations: 1, previousExpiresAt: 9, url: 'https://shop.example/hooks' });
  });

  it('is refused at another revision than the expected one, and once it is disabled or deleted', () => {
    const change = changeEndpoint({ events: null }, (revision) => revision === 0);
    given(added(['PAYMENT.STATUS']))
      .when(change)
      .then(changed(URL));
    given(added(), changed(URL, ['PAYMENT.STATUS']))
      .when(change)
      .thenRejected('PreconditionFailed');
    for (const end of [disabled, deleted])
      given(added(), end)
        .when(changeEndpoint({ events: ['PAYMENT.STATUS'] }))
        .thenRejected('Conflict');
    given().when(changeEndpoint({})).thenRejected('NotFound');
  });
});

describe('deleting a webhook endpoint', () => {
  it('ends it whatever its state, once', () => {
    given(added()).when(deleteEndpoint).then(deleted);
    given(added(), disabled).when(deleteEndpoint).then(deleted);
    given(added(), deleted).when(deleteEndpoint).thenNothing();
    given().when(deleteEndpoint).thenRejected('NotFound');
  });

  it('leaves no other change to it', () => {
    given(added(), deleted).when(disableEndpoint('gone')).thenNothing();
    given(added(), deleted).when(rotateSecret(0, 0)).thenRejected('Conflict');
    const { state } = given(added(), disabled, deleted);
    if (state.status === 'absent') throw new Error('it is absent');
    expect([endpointState(state), state.deletedAt]).to.deep.equal(['deleted', 1_002]);
  });
});

describe('the types that a webhook endpoint wants', () => {
  const wanted = (date: number, ...events: readonly WebhookEndpointEvent[]): readonly string[] => {
    const { state } = given(...events);
    if (state.status === 'absent') throw new Error('it is absent');
    return ['PAYMENT.STATUS', 'PAYMENT.REFUND'].filter((type) => wantsMessage(state, type, date));
  };

  it('are those of the moment of the event, however late its message is queued', () => {
    // an event of the endpoint is of 1,000 and its revision
    const history = [added(['PAYMENT.STATUS']), changed(URL), changed(URL, ['PAYMENT.REFUND'])];
    expect([1_000, 1_001, 1_002].map((date) => wanted(date, ...history))).to.deep.equal([
      ['PAYMENT.STATUS'],
      ['PAYMENT.STATUS', 'PAYMENT.REFUND'],
      ['PAYMENT.REFUND'],
    ]);
  });

  it('stay with a change of the URL alone, and the oldest of many changes are forgotten', () => {
    expect(given(added(), changed('https://shop.example/hooks')).state).not.to.have.property('earlier');
    const turns = Array.from({ length: 30 }, (_, at) => changed(URL, at % 2 === 0 ? ['PAYMENT.REFUND'] : undefined));
    expect(given(added(), ...turns).state)
      .to.have.property('earlier')
      .with.length(20);
  });
});
