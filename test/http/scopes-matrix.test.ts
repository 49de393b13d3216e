// Scope × endpoint × (own, foreign account), generated from the list of routes (contract §2).
import { expect } from 'chai';
import { SCOPES, type Scope } from '../../src/domain/scopes.ts';
import type { Route } from '../../src/http/route.ts';
import { appendedBy, expectCausedBy } from '../support/http-appended.ts';
import type { Answer } from '../support/http-request.ts';
import { guardedRoutes, nameOf, type Sample, sampleOf } from '../support/http-samples.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

/** A notification that was taken before may be parked at any later moment. */
const HANDLED_LATER = 'notification NotificationParked';

const isScope = (access: Route['scope']): access is Scope => access !== 'public' && access !== 'clientToken';
const isAboutOne = (name: string): boolean => name.includes('/:id') || name.includes('/:token');
/** The requests that an operation with a body remembers (contract §6); an erasure is done again instead. */
const isKeyed = ({ bodyKind, method, path }: Route): boolean =>
  bodyKind === 'json' && method !== 'PUT' && !path.endsWith('/personal-data');

describe('the matrix of scopes, endpoints and accounts', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const asked = ({ method }: Route, sample: Sample, key: string): Promise<Answer> =>
    http.request(method, sample.path, {
      key,
      ...(sample.body !== undefined && { body: sample.body }),
      ...(sample.text !== undefined && { text: sample.text }),
      headers: { ...sample.headers, 'x-request-id': 'same' },
    });

  // A path that stands for a key has that key's scopes alone (incoming-webhooks.test.ts). The contract's table is
  // made of the same scopes (test/docs/contract.test.ts).
  for (const route of guardedRoutes) {
    const { scope: needed } = route;
    if (!isScope(needed) || route.keyInPath) continue;
    const name = nameOf(route);

    it(`${name} is for ${needed} and refuses every other scope, which it names`, async () => {
      const sample = await sampleOf(route, http);
      for (const scope of SCOPES.filter((one) => one !== needed)) {
        const { key } = await http.shop.keyFor(scope);
        const refused = await appendedBy(http.stores.events, () => asked(route, sample, key));
        const types = refused.types.filter((type) => type !== HANDLED_LATER);
        expect([refused.answer.status, refused.answer.error?.errorId, types], scope).to.deep.equal([
          403,
          'InsufficientScope',
          [],
        ]);
        expect(refused.answer.error?.description).to.contain(needed);
      }
      const right = await asked(route, sample, (await http.shop.keyFor(needed)).key);
      expect(right.status, right.text).to.be.oneOf([200, 202]);
    });

    if (isKeyed(route)) {
      it(`${name} has its effect once for a key, on record as the caller's`, async () => {
        const sample = await sampleOf(route, http);
        const { key, keyId } = await http.shop.keyFor(needed);
        const repeated = { ...sample, headers: { ...sample.headers, 'x-idempotency-key': `once ${name}` } };
        const first = await appendedBy(http.stores.events, () => asked(route, repeated, key));
        expect(
          first.types.filter((type) => !type.startsWith('idempotency ')),
          first.answer.text,
        ).not.to.deep.equal([]);
        expectCausedBy(first, http.shop.accountId, { kind: 'apiKey', id: keyId });
        const again = await appendedBy(http.stores.events, () => asked(route, repeated, key));
        const { status, text, headers } = first.answer;
        expect([again.answer.status, again.answer.text, again.types]).to.deep.equal([status, text, []]);
        expect([again.answer.headers.etag, again.answer.headers['idempotent-replayed']]).to.deep.equal([
          headers.etag,
          'true',
        ]);
      });
    }

    if (isAboutOne(name)) {
      it(`${name} answers another account as if the resource did not exist, and leaves it alone`, async () => {
        const sample = await sampleOf(route, http);
        const missing = {
          ...sample,
          path: sample.path.replace(/(pay|pm|cs|agr)_[0-9a-zA-Z]+/, (id) => `${id.slice(0, -6)}000000`),
        };
        const { key } = await http.other.keyFor(needed);
        const foreign = await appendedBy(http.stores.events, () => asked(route, sample, key));
        const never = await asked(route, missing, key);
        expect([foreign.answer.status, foreign.answer.error?.errorId, foreign.types]).to.deep.equal([
          404,
          'NotFound',
          [],
        ]);
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
