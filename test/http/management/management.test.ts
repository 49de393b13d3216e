// What a management key can do, and what it cannot: keys, webhook endpoints, users and the account (contract §12).
import { expect } from 'chai';
import { z } from 'zod';
import { SCOPES, type Scope } from '../../../src/domain/scopes.ts';
import { SCOPES_OF_ROLE } from '../../../src/domain/user/roles.ts';
import { isForUsers, type Route } from '../../../src/http/route.ts';
import { eventsAfter } from '../../support/http-appended.ts';
import { until } from '../../support/until.ts';
import { type Called, type Management, type ManagementKey, openManagement } from './support.ts';

const Key = z.looseObject({ id: z.string(), state: z.string(), scopes: z.array(z.string()) });
const Made = z.strictObject({ apiKey: Key, text: z.string() });
const Keys = z.looseObject({ data: z.array(Key) });
const Endpoint = z.looseObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()).optional(),
  state: z.string(),
});
const EndpointMade = z.strictObject({ endpoint: Endpoint, secret: z.string() });
const User = z.looseObject({ id: z.string(), role: z.string(), state: z.string() });
const Invited = z.strictObject({ user: User, link: z.string() });
const Users = z.looseObject({ data: z.array(User) });
const Account = z.looseObject({ id: z.string(), name: z.string() });
const Actor = z.looseObject({ actor: z.strictObject({ kind: z.string(), id: z.string() }) });

const GRANTS = ['client_tokens:write', 'transactions:retrieve', 'payment_instrument:read'] as const;

describe('the management API', () => {
  let management: Management;
  let key: ManagementKey;
  before(async () => {
    management = await openManagement();
    key = await management.newKey(GRANTS);
  });
  after(() => management.close());

  const call = (method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>) =>
    management.call(key.text, method, path, body, headers);
  const summary = ({ status, errorId }: Called): readonly [number, string | undefined] => [status, errorId];

  /** The types of the events that the work appends, which all have the management key as their actor. */
  async function actsOf(work: () => Promise<Called>): Promise<{ readonly called: Called; readonly types: string[] }> {
    const { events } = management.dashboard.opened;
    const before = await events.head();
    const called = await work();
    const types: string[] = [];
    for (const { type, metadata } of await eventsAfter(events, before)) {
      const { actor } = Actor.parse(JSON.parse(metadata));
      if (actor.kind === 'policy') continue;
      expect(actor, type).to.deep.equal({ kind: 'apiKey', id: key.id });
      types.push(type);
    }
    return { called, types };
  }

  const made = async (body: object): Promise<z.output<typeof Made>> => {
    const called = await call('POST', '/management/keys', body);
    expect(called.status, JSON.stringify(called.body)).to.equal(200);
    return Made.parse(called.body);
  };
  const invited = async (email: string, role: string): Promise<z.output<typeof Invited>> => {
    const called = await call('POST', '/management/users', { email, role });
    expect(called.status, JSON.stringify(called.body)).to.equal(200);
    return Invited.parse(called.body);
  };

  describe('the two kinds of keys', () => {
    const isManaged = ({ path }: Route): boolean => path.startsWith('/management/');
    const asked = async (route: Route, text: string): Promise<readonly [number, string | undefined]> =>
      summary(
        await management.call(
          text,
          route.method,
          route.path.replaceAll(/:\w+/g, 'x'),
          route.method === 'GET' ? undefined : {},
        ),
      );

    it('open the routes of their own and no other', async () => {
      const { dashboard } = management;
      const wrong: string[] = [];
      for (const route of dashboard.routes) {
        const { scope, method, path } = route;
        if (scope === 'public' || scope === 'visitor' || route.keyInPath) continue;
        const [byManagement, byPayments] = [await asked(route, key.text), await asked(route, dashboard.key)];
        // a client token or a session is needed: no key opens these
        const isOfNoKey = scope === 'clientToken' || isForUsers(scope);
        const isDue = (status: number, isOpen: boolean): boolean =>
          isOfNoKey ? status === 401 : isOpen !== (status === 403) && status !== 401;
        if (!isDue(byManagement[0], isManaged(route))) wrong.push(`${method} ${path}: ${byManagement} for management`);
        if (!isDue(byPayments[0], !isManaged(route))) wrong.push(`${method} ${path}: ${byPayments} for payments`);
      }
      expect(wrong).to.deep.equal([]);
      expect(dashboard.routes.filter((route) => isManaged(route) && route.scope === 'management')).to.have.length(20);
    });

    it('end at the next request: a revoked management key is a 401', async () => {
      const { text, id } = await management.newKey([]);
      expect((await management.call(text, 'GET', '/management/keys')).status).to.equal(200);
      await management.dashboard.service.access.revokeApiKey(id);
      expect(summary(await management.call(text, 'GET', '/management/keys'))).to.deep.equal([401, 'Unauthorized']);
    });
  });

  describe('API keys by a management key', () => {
    it('are created with granted scopes, work at once, are listed without their text, and end by being revoked', async () => {
      const { called, types } = await actsOf(() =>
        call('POST', '/management/keys', { name: 'Reports', scopes: ['transactions:retrieve'], expiresInMs: 60_000 }),
      );
      const { apiKey, text } = Made.parse(called.body);
      expect(types).to.deep.equal(['ApiKeyCreated']);
      expect((await management.call(text, 'GET', '/payments')).status).to.equal(200);
      await until(async () =>
        Keys.parse((await call('GET', '/management/keys')).body).data.some(({ id }) => id === apiKey.id),
      );
      const listed = await call('GET', '/management/keys');
      expect(JSON.stringify(listed.body)).not.to.include(text.slice(-20));
      const revoking = await actsOf(() => call('POST', `/management/keys/${apiKey.id}/revoke`));
      expect([revoking.types, Key.parse(revoking.called.body).state]).to.deep.equal([['ApiKeyRevoked'], 'revoked']);
      expect((await management.call(text, 'GET', '/payments')).status).to.equal(401);
    });

    it('are created once for an idempotency key, with the same text again, which no other management key gets', async () => {
      const body = { name: 'Once', scopes: ['transactions:retrieve'] };
      const once = { 'x-idempotency-key': 'create-once' };
      const [first, again] = [
        await call('POST', '/management/keys', body, once),
        await call('POST', '/management/keys', body, once),
      ];
      expect([again.body, again.headers.get('idempotent-replayed')]).to.deep.equal([first.body, 'true']);
      const narrow = await management.newKey([]);
      expect(summary(await management.call(narrow.text, 'POST', '/management/keys', body, once))).to.deep.equal([
        403,
        'InsufficientScope',
      ]);
      const other = await management.newKey(GRANTS);
      const others = await management.call(other.text, 'POST', '/management/keys', body, once);
      expect(Made.parse(others.body).apiKey.id).not.to.equal(Made.parse(first.body).apiKey.id);
    });

    it('have at most the scopes that the management key may grant, at every way to one', async () => {
      const { service, accountId } = management.dashboard;
      const beyond = { name: 'Beyond', scopes: ['transactions:retrieve', 'transactions:refund'] };
      const { called, types } = await actsOf(() => call('POST', '/management/keys', beyond));
      expect([summary(called), types]).to.deep.equal([[403, 'InsufficientScope'], []]);
      expect(JSON.stringify(called.body)).to.include('transactions:refund');
      const { apiKey } = await made({ name: 'Grows', scopes: ['transactions:retrieve'] });
      const path = `/management/keys/${apiKey.id}`;
      expect(summary(await call('POST', `${path}/scopes`, { scopes: beyond.scopes }))).to.deep.equal([
        403,
        'InsufficientScope',
      ]);
      const narrowed = await call('POST', `${path}/scopes`, { scopes: ['client_tokens:write'] });
      expect(Key.parse(narrowed.body).scopes).to.deep.equal(['client_tokens:write']);
      expect((await call('POST', `${path}/rotate`, { overlapMs: 0 })).status).to.equal(200);
      // an owner gives the key more: a rotation would show a text with these scopes
      await service.access.setApiKeyScopes(apiKey.id, SCOPES);
      expect(summary(await call('POST', `${path}/rotate`, { overlapMs: 0 }))).to.deep.equal([403, 'InsufficientScope']);
      expect((await call('POST', `${path}/revoke`)).status).to.equal(200);
      const sandboxes = (await service.queries.listApiKeys(accountId)).keys.find(
        ({ doc }) => doc.purpose === 'sandbox',
      );
      for (const id of [key.id, sandboxes?.id ?? '', (await management.newKey([])).id]) {
        for (const [act, body] of [['scopes', { scopes: [] }], ['rotate', { overlapMs: 0 }], ['revoke']] as const) {
          const refused = await call('POST', `/management/keys/${id}/${act}`, body);
          expect(summary(refused), `${act} ${id}`).to.deep.equal([404, 'NotFound']);
        }
      }
      const listed = Keys.parse((await call('GET', '/management/keys')).body).data.map(({ id }) => id);
      expect(listed).not.to.include(key.id);
    });

    it('are read one by one, to find out whether they are still as they were created', async () => {
      const { apiKey, text } = await made({ name: 'Imported', scopes: ['transactions:retrieve'] });
      const path = `/management/keys/${apiKey.id}`;
      await until(async () => (await call('GET', path)).status === 200);
      const read = await call('GET', path);
      expect(Key.parse(read.body)).to.deep.include({ id: apiKey.id, name: 'Imported', state: 'active' });
      expect(JSON.stringify(read.body)).not.to.include(text.slice(-20));
      await call('POST', `${path}/revoke`);
      await until(async () => Key.parse((await call('GET', path)).body).state === 'revoked');
      expect(summary(await call('GET', `/management/keys/${key.id}`))).to.deep.equal([404, 'NotFound']);
    });

    it('of another account do not exist for it', async () => {
      const { service } = management.dashboard;
      const other = await service.access.createAccount('Other');
      if (other.kind === 'rejected') throw new Error(other.description);
      const foreign = await management.newKey(SCOPES, other.id);
      const { apiKey } = await made({ name: 'Ours', scopes: ['transactions:retrieve'] });
      expect(summary(await management.call(foreign.text, 'GET', `/management/keys/${apiKey.id}`))[0]).to.equal(404);
      expect(
        summary(
          await management.call(foreign.text, 'GET', `/management/users/${management.dashboard.userIdOf('owner')}`),
        )[0],
      ).to.equal(404);
      const [refused, missing] = [
        await management.call(foreign.text, 'POST', `/management/keys/${apiKey.id}/revoke`),
        await management.call(foreign.text, 'POST', `/management/keys/key_${'0'.repeat(32)}/revoke`),
      ];
      expect([summary(refused), summary(missing)]).to.deep.equal([
        [404, 'NotFound'],
        [404, 'NotFound'],
      ]);
      expect(Keys.parse((await management.call(foreign.text, 'GET', '/management/keys')).body).data).to.deep.equal([]);
    });
  });

  describe('webhook endpoints by a management key', () => {
    it('are added, listed, read, given a new secret and disabled, each an event of the key', async () => {
      const added = await actsOf(() =>
        call('POST', '/management/webhook-endpoints', { url: 'http://127.0.0.1:9/hooks', events: ['PAYMENT.STATUS'] }),
      );
      expect(added.types).to.deep.equal(['WebhookEndpointAdded']);
      const { endpoint, secret } = EndpointMade.parse(added.called.body);
      expect(secret).to.match(/^whsec_/);
      const path = `/management/webhook-endpoints/${endpoint.id}`;
      await until(async () => (await call('GET', path)).status === 200);
      expect(JSON.stringify((await call('GET', '/management/webhook-endpoints')).body)).to.include(endpoint.id);
      const rotated = await actsOf(() => call('POST', `${path}/rotate-secret`, { overlapMs: 60_000 }));
      expect(rotated.types).to.deep.equal(['WebhookSecretRotated']);
      expect(EndpointMade.parse(rotated.called.body).secret).not.to.equal(secret);
      const disabled = await actsOf(() => call('POST', `${path}/disable`));
      expect([disabled.types, Endpoint.parse(disabled.called.body).state]).to.deep.equal([
        ['WebhookEndpointDisabled'],
        'disabled',
      ]);
      expect(summary(await call('POST', `${path}/rotate-secret`, { overlapMs: 0 }))).to.deep.equal([409, 'Conflict']);
      expect(summary(await call('PATCH', path, { events: null }))).to.deep.equal([409, 'Conflict']);
    });

    const added = async (name: string): Promise<string> => {
      const { body } = await call('POST', '/management/webhook-endpoints', { url: `http://127.0.0.1:9/${name}` });
      return `/management/webhook-endpoints/${EndpointMade.parse(body).endpoint.id}`;
    };

    it('are changed in place: the URL, the types, and back to all types', async () => {
      const path = await added('first');
      const moved = await actsOf(() => call('PATCH', path, { url: 'http://127.0.0.1:9/second' }));
      expect([moved.types, Endpoint.parse(moved.called.body).url]).to.deep.equal([
        ['WebhookEndpointChanged'],
        'http://127.0.0.1:9/second',
      ]);
      const some = await call('PATCH', path, { events: ['PAYMENT.REFUND', 'PAYMENT.STATUS'] });
      expect(Endpoint.parse(some.body)).to.deep.include({
        url: 'http://127.0.0.1:9/second',
        events: ['PAYMENT.STATUS', 'PAYMENT.REFUND'],
      });
      const same = await actsOf(() => call('PATCH', path, { events: ['PAYMENT.STATUS', 'PAYMENT.REFUND'] }));
      expect([same.called.status, same.types]).to.deep.equal([200, []]);
      expect(Endpoint.parse((await call('PATCH', path, { events: null })).body)).not.to.have.property('events');
      await until(async () => Endpoint.parse((await call('GET', path)).body).events === undefined);
      const wrong = await call('PATCH', path, { url: 'ftp://shop.example' });
      expect(summary(wrong)).to.deep.equal([422, 'RequestValidationError']);
      for (const body of [{ events: [] }, { events: ['PAYMENT.LOST'] }, { url: null }, { name: 'x' }])
        expect(summary(await call('PATCH', path, body))[0], JSON.stringify(body)).to.equal(422);
    });

    it('are changed at the version that was read, once for an idempotency key, and by one of two at once', async () => {
      const path = await added('version');
      await until(async () => (await call('GET', path)).status === 200);
      const etag = (await call('GET', path)).headers.get('etag') ?? '';
      const change = (name: string, headers: Readonly<Record<string, string>>) =>
        call('PATCH', path, { url: `http://127.0.0.1:9/${name}` }, headers);
      const both = await Promise.all(['a', 'b'].map((name) => change(name, { 'if-match': etag })));
      expect(both.map(summary).toSorted()).to.deep.equal([
        [200, undefined],
        [412, 'PreconditionFailed'],
      ]);
      const now = both.find(({ status }) => status === 200)?.headers.get('etag') ?? '';
      const once = { 'if-match': now, 'x-idempotency-key': 'change-once' };
      const [first, again] = [await change('c', once), await change('c', once)];
      expect([again.body, again.headers.get('idempotent-replayed')]).to.deep.equal([first.body, 'true']);
    });

    it('are deleted for good, whatever their state, and do not exist afterwards', async () => {
      const path = await added('deleted');
      const deleting = await actsOf(() => call('DELETE', path));
      expect([deleting.types, Endpoint.parse(deleting.called.body).state]).to.deep.equal([
        ['WebhookEndpointDeleted'],
        'deleted',
      ]);
      const again = await actsOf(() => call('DELETE', path));
      expect([again.called.status, again.types]).to.deep.equal([200, []]);
      await until(async () => (await call('GET', path)).status === 404);
      for (const [method, rest, body] of [
        ['GET', ''],
        ['PATCH', '', { events: null }],
        ['POST', '/disable'],
        ['POST', '/rotate-secret', { overlapMs: 0 }],
      ] as const)
        expect(summary(await call(method, `${path}${rest}`, body)), `${method} ${rest}`).to.deep.equal([
          404,
          'NotFound',
        ]);
      const listed = await call('GET', '/management/webhook-endpoints');
      expect(JSON.stringify(listed.body)).not.to.include(path.slice(path.lastIndexOf('/') + 1));
      const ended = await added('disabled');
      await call('POST', `${ended}/disable`);
      expect(Endpoint.parse((await call('DELETE', ended)).body).state).to.equal('deleted');
    });

    it('are added, redirected and given a secret only by a key that may grant to read payments', async () => {
      const path = await added('shop');
      const endpoint = (await call('GET', path)).body;
      const blind = await management.newKey(SCOPES.filter((scope) => scope !== 'transactions:retrieve'));
      const by = (method: string, at: string, body?: object) => management.call(blind.text, method, at, body);
      for (const [method, at, body] of [
        ['POST', '/management/webhook-endpoints', { url: 'http://127.0.0.1:9/mine' }],
        ['PATCH', path, { url: 'http://127.0.0.1:9/mine' }],
        ['POST', `${path}/rotate-secret`, { overlapMs: 0 }],
      ] as const) {
        const refused = await by(method, at, body);
        expect(summary(refused), `${method} ${at}`).to.deep.equal([403, 'InsufficientScope']);
        expect(JSON.stringify(refused.body)).to.include('transactions:retrieve');
      }
      expect((await call('GET', path)).body).to.deep.equal(endpoint);
      for (const [method, at, body] of [
        ['PATCH', path, { events: null }],
        ['POST', `${path}/disable`],
        ['DELETE', path],
      ] as const)
        expect((await by(method, at, body)).status, `${method} ${at}`).to.equal(200);
    });

    it('of another account can be neither changed nor deleted', async () => {
      const other = await management.dashboard.service.access.createAccount('Third');
      if (other.kind === 'rejected') throw new Error(other.description);
      const foreign = await management.newKey(SCOPES, other.id);
      const path = await added('ours');
      for (const [method, body] of [['PATCH', { events: null }], ['DELETE']] as const)
        expect(summary(await management.call(foreign.text, method, path, body)), method).to.deep.equal([
          404,
          'NotFound',
        ]);
      expect(summary(await management.call(management.dashboard.key, 'DELETE', path))).to.deep.equal([
        403,
        'InsufficientScope',
      ]);
    });
  });

  describe('users by a management key', () => {
    it('are invited once for an idempotency key, with the same link again, change their role, and are disabled', async () => {
      const body = { email: 'grace@example.org', role: 'auditor' };
      const once = { 'x-idempotency-key': 'invite-grace' };
      const inviting = await actsOf(() => call('POST', '/management/users', body, once));
      const again = await call('POST', '/management/users', body, once);
      expect([again.body, again.headers.get('idempotent-replayed')]).to.deep.equal([inviting.called.body, 'true']);
      expect(inviting.types.filter((type) => /^User|^Welcome/.test(type))).to.deep.equal([
        'UserListed',
        'UserInvited',
        'WelcomeLinkMade',
      ]);
      const { user, link } = Invited.parse(inviting.called.body);
      expect(link).to.match(new RegExp(`^${management.dashboard.url}/dashboard/#/welcome/${user.id}\\.`));
      const token = link.slice(link.lastIndexOf('/') + 1);
      expect(await management.dashboard.service.users.lookAtLink(token)).to.include({ email: body.email });
      expect(summary(await call('POST', '/management/users', body))).to.deep.equal([409, 'Conflict']);
      await until(async () =>
        Users.parse((await call('GET', '/management/users')).body).data.some(({ id }) => id === user.id),
      );
      expect(User.parse((await call('GET', `/management/users/${user.id}`)).body)).to.deep.include(user);
      const disabling = await actsOf(() => call('POST', `/management/users/${user.id}/disable`));
      expect([disabling.types, User.parse(disabling.called.body).state]).to.deep.equal([['UserDisabled'], 'disabled']);
      expect((await invited(body.email, body.role)).user).to.include({ id: user.id, state: 'invited' });
    });

    it('have no role with more rights than the key may grant, because it sees the welcome link', async () => {
      for (const role of ['support', 'developer'])
        expect(
          summary(await call('POST', '/management/users', { email: 'eve@example.org', role })),
          role,
        ).to.deep.equal([403, 'InsufficientScope']);
      const { user } = await invited('linus@example.org', 'auditor');
      expect(summary(await call('POST', `/management/users/${user.id}/role`, { role: 'developer' }))).to.deep.equal([
        403,
        'InsufficientScope',
      ]);
      const wide = await management.newKey(SCOPES);
      const changed = await management.call(wide.text, 'POST', `/management/users/${user.id}/role`, {
        role: 'developer',
      });
      expect(User.parse(changed.body).role).to.equal('developer');
    });

    it('have no role that does in the dashboard what a scope beyond the grants does in the API', () => {
      const { routes } = management.dashboard;
      const shapeOf = ({ method, path }: Route, prefix = ''): string =>
        `${method} ${path.slice(prefix.length).replaceAll(/:\w+/g, ':')}`;
      const scopes = new Map(
        routes.flatMap((route) => {
          const scope = SCOPES.find((one) => one === route.scope);
          return scope === undefined ? [] : [[shapeOf(route), scope] as const];
        }),
      );
      for (const role of ['support', 'auditor'] as const) {
        const used = new Set<Scope>();
        for (const route of routes) {
          const scope = scopes.get(shapeOf(route, '/dashboard/api'));
          if (isForUsers(route.scope) && route.scope.roles.includes(role) && scope !== undefined) used.add(scope);
        }
        expect(SCOPES_OF_ROLE[role], role).to.have.members([...used]);
      }
    });

    it('are never made owners, and owners are left alone, disabled ones too', async () => {
      const wide = await management.newKey(SCOPES);
      const ownerId = management.dashboard.userIdOf('owner');
      const by = (path: string, body?: object) => management.call(wide.text, 'POST', path, body);
      const { user } = await invited('mary@example.org', 'auditor');
      expect(summary(await by('/management/users', { email: 'eve@example.org', role: 'owner' }))[0]).to.equal(422);
      expect(summary(await by(`/management/users/${user.id}/role`, { role: 'owner' }))[0]).to.equal(422);
      expect(summary(await by(`/management/users/${ownerId}/disable`))).to.deep.equal([403, 'InsufficientScope']);
      expect(summary(await by(`/management/users/${ownerId}/role`, { role: 'auditor' }))).to.deep.equal([
        403,
        'InsufficientScope',
      ]);
      expect(await management.dashboard.service.queries.readUser(ownerId)).to.have.nested.property(
        'user.role',
        'owner',
      );
      const { accountId, service } = management.dashboard;
      const left = { accountId, email: 'left@example.org', role: 'owner' } as const;
      const made = await service.users.inviteUser(left, 'operator');
      if (made.kind === 'rejected') throw new Error(made.description);
      await service.users.disableUser(accountId, made.id, 'operator');
      const again = await by('/management/users', { email: left.email, role: 'auditor' });
      expect(summary(again)).to.deep.equal([403, 'InsufficientScope']);
      for (const [act, body] of [['role', { role: 'auditor' }], ['disable']] as const)
        expect(summary(await by(`/management/users/${made.id}/${act}`, body)), act).to.deep.equal([
          403,
          'InsufficientScope',
        ]);
    });
  });

  describe('the account by a management key', () => {
    it('is read and renamed, and the bank’s page has the new name', async () => {
      const { service, accountId } = management.dashboard;
      const renaming = await actsOf(() => call('PATCH', '/management/account', { name: 'Corner shop' }));
      expect([renaming.types, Account.parse(renaming.called.body).name]).to.deep.equal([
        ['AccountRenamed'],
        'Corner shop',
      ]);
      expect(Account.parse((await call('GET', '/management/account')).body)).to.include({
        id: accountId,
        name: 'Corner shop',
      });
      await until(async () => (await service.queries.readShopName(accountId)) === 'Corner shop');
      const same = await actsOf(() => call('PATCH', '/management/account', { name: 'Corner shop' }));
      expect(same.types).to.deep.equal([]);
      expect(summary(await call('PATCH', '/management/account', { name: '' }))[0]).to.equal(422);
      expect(summary(await call('PATCH', '/management/account', { name: '4242424242424242' }))[1]).to.equal(
        'CardNumberNotAllowed',
      );
    });
  });
});
