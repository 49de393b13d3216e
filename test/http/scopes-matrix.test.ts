// Scope × endpoint × (own, foreign account), generated from the list of routes (contract §2).
import { expect } from 'chai';
import { SCOPES, type Scope } from '../../src/domain/api-key/scopes.ts';
import type { Route } from '../../src/http/route.ts';
import { appendedBy } from '../support/http-appended.ts';
import type { Answer } from '../support/http-request.ts';
import { SAMPLES, type Sample } from '../support/http-samples.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

/** The table of contract §2 again, so that a route under another scope is found out. */
const TABLE: { readonly [route: string]: Scope } = {
  'POST /client-session': 'client_tokens:write',
  'PATCH /client-session': 'client_tokens:write',
  'GET /client-session': 'client_tokens:write',
  'POST /client-session/client-token': 'client_tokens:write',
  'POST /payments': 'transactions:authorize',
  'POST /payments/:id/adjust-authorization': 'transactions:authorize',
  'POST /payments/:id/resume': 'transactions:authorize',
  'POST /payments/:id/capture': 'transactions:capture',
  'POST /payments/:id/cancel': 'transactions:cancel',
  'POST /payments/:id/refund': 'transactions:refund',
  'POST /payments/:id/disputes/:disputeId/evidence': 'transactions:refund',
  'POST /payments/:id/disputes/:disputeId/accept': 'transactions:refund',
  'GET /payments': 'transactions:retrieve',
  'GET /payments/:id': 'transactions:retrieve',
  'GET /payments/:id/events': 'transactions:retrieve',
  'GET /payments/:id/why': 'transactions:retrieve',
  'GET /events': 'transactions:retrieve',
  'GET /payment-instruments': 'payment_instrument:read',
  'GET /payment-instruments/:token': 'payment_instrument:read',
  'POST /payment-instruments/:token/vault': 'payment_instrument:write',
  'POST /payment-instruments/:token/default': 'payment_instrument:write',
  'DELETE /payment-instruments/:token': 'payment_instrument:write',
  'POST /webhooks/:processor': 'third_party:webhook_trigger',
  'GET /sandbox/ledger': 'third_party:webhook_trigger',
  'GET /sandbox/faults': 'third_party:webhook_trigger',
  'PUT /sandbox/faults': 'third_party:webhook_trigger',
  'GET /sandbox/scenarios': 'third_party:webhook_trigger',
};

/** A notification that was taken before may be parked at any later moment. */
const HANDLED_LATER = 'notification NotificationParked';

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const isScope = (access: Route['scope']): access is Scope => access !== 'public' && access !== 'clientToken';
const isAboutOne = (name: string): boolean => name.includes('/:id') || name.includes('/:token');

describe('the matrix of scopes, endpoints and accounts', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  // A path that stands for a key has that key's scopes alone (incoming-webhooks.test.ts).
  const guarded = (): readonly Route[] => http.routes.filter(({ scope, keyInPath }) => isScope(scope) && !keyInPath);
  const sampleOf = async (route: Route): Promise<Sample> => {
    const make = SAMPLES[nameOf(route)];
    if (make === undefined) throw new Error(`there is no sample for ${nameOf(route)}`);
    return make(http);
  };
  const asked = ({ method }: Route, sample: Sample, key: string): Promise<Answer> =>
    http.request(method, sample.path, {
      key,
      ...(sample.body !== undefined && { body: sample.body }),
      ...(sample.text !== undefined && { text: sample.text }),
      headers: { ...sample.headers, 'x-request-id': 'same' },
    });

  it('has the scopes of the contract, and every route has a sample', () => {
    expect(Object.fromEntries(guarded().map((route) => [nameOf(route), route.scope]))).to.deep.equal(TABLE);
    const wanted = http.routes.filter(({ scope }) => scope !== 'public').map(nameOf);
    expect(Object.keys(SAMPLES)).to.have.members(wanted);
  });

  for (const [name, needed] of Object.entries(TABLE)) {
    const routeNamed = (): Route => {
      const route = guarded().find((one) => nameOf(one) === name);
      if (route === undefined) throw new Error(`there is no route ${name}`);
      return route;
    };

    it(`${name} is for ${needed} and refuses every other scope, which it names`, async () => {
      const route = routeNamed();
      const sample = await sampleOf(route);
      for (const scope of SCOPES.filter((one) => one !== needed)) {
        const { key } = await http.shop.keyFor(scope);
        const refused = await appendedBy(http.stores.events, () => asked(route, sample, key));
        const types = refused.types.filter((type) => type !== HANDLED_LATER);
        expect([refused.answer.status, refused.answer.error?.errorId, types], scope).to.deep.equal([403, 'InsufficientScope', []]);
        expect(refused.answer.error?.description).to.contain(needed);
      }
      const right = await asked(route, sample, (await http.shop.keyFor(needed)).key);
      expect(right.status, right.text).to.be.oneOf([200, 202]);
    });

    if (isAboutOne(name)) {
      it(`${name} answers another account as if the resource did not exist, and leaves it alone`, async () => {
        const route = routeNamed();
        const sample = await sampleOf(route);
        const missing = { ...sample, path: sample.path.replace(/(pay|pm)_[0-9a-zA-Z]+/, (id) => `${id.slice(0, -6)}000000`) };
        const { key } = await http.other.keyFor(needed);
        const foreign = await appendedBy(http.stores.events, () => asked(route, sample, key));
        const never = await asked(route, missing, key);
        expect([foreign.answer.status, foreign.answer.error?.errorId, foreign.types]).to.deep.equal([404, 'NotFound', []]);
        expect([never.status, never.text]).to.deep.equal([foreign.answer.status, foreign.answer.text]);
        expect(comparable(never)).to.deep.equal(comparable(foreign.answer));
        const own = await asked(route, missing, (await http.shop.keyFor(needed)).key);
        expect([own.status, own.text]).to.deep.equal([404, never.text]);
        for (const scope of SCOPES.filter((one) => one !== needed)) {
          const wrong = await asked(route, sample, (await http.other.keyFor(scope)).key);
          expect([wrong.status, wrong.error?.errorId], scope).to.deep.equal([403, 'InsufficientScope']);
        }
      });
    }
  }

  describe('and all the while', () => {
    it('the service never met a fault', () => {
      expect(http.faults).to.deep.equal([]);
    });
  });
});

/** Headers without those that differ between any two answers. */
const comparable = ({ headers: { date: _date, ...headers } }: Answer): object => headers;
