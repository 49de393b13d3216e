// Bad input at every endpoint: never a 5xx, never a shape outside contract §7, never a change (contract §1). The client
// of these tests rejects every response that is not described or not in the shape of errors.
import { expect } from 'chai';
import { eventsAfter } from '../support/http-appended.ts';
import {
  BAD_CONTENT_TYPES,
  BAD_QUERIES,
  BAD_SEGMENTS,
  BAD_TEXTS,
  badBodies,
  LARGE_TEXT,
  ODD_HEADERS,
  withStrangers,
} from '../support/http-bad-input.ts';
import type { Answer, Ask } from '../support/http-request.ts';
import { guardedRoutes, nameOf, type Sample, sampleOf } from '../support/http-samples.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

/** A notification that was taken before may be parked at any later moment. */
const HANDLED_LATER = 'NotificationParked';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('bad input', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  for (const route of guardedRoutes) {
    const name = nameOf(route);
    describe(`at ${name}`, () => {
      let sample: Sample;
      beforeEach(async () => {
        sample = await sampleOf(route, http);
      });

      /** Sends a request. A refusal must leave the log as it is. An accepted request may use the sample up. */
      const ask = async (asked: Ask & { readonly path?: string; readonly method?: string }): Promise<Answer> => {
        const { path = sample.path, method = route.method, ...rest } = asked;
        const by = sample.token === undefined ? { key: http.shop.key } : { token: sample.token };
        const before = await http.stores.events.head();
        const answer = await http.request(method, path, { ...by, ...rest });
        expect(answer.status, answer.text).to.be.below(500);
        if (answer.status < 400 || (await http.stores.events.head()) === before) return answer;
        const changes = (await eventsAfter(http.stores.events, before))
          .map(({ type }) => type)
          .filter((type) => type !== HANDLED_LATER);
        expect(changes, `${method} ${path} ${answer.text}`).to.deep.equal([]);
        return answer;
      };
      const takesBody = !name.startsWith('GET');
      const isRaw = name.startsWith('POST /webhooks');

      if (takesBody && !isRaw) {
        it('one place of the body made wrong', async () => {
          const body = sample.body ?? {};
          const ways = name.includes('session') || name === 'POST /payments' ? 2 : 7;
          for (const bad of [...badBodies(body, ways), ...withStrangers(body)]) {
            const answer = await ask({ text: bad.text, headers: JSON_TYPE });
            if (!bad.impossible) continue;
            expect(answer.status, `${bad.text} ${answer.text}`).to.be.oneOf([422, 400]);
            const paths = answer.error?.validationErrors?.flatMap(({ errors }) => errors.map(({ path }) => path)) ?? [];
            expect(
              paths.some((path) => path.startsWith(bad.path)),
              `${bad.text}\n${answer.text}`,
            ).to.equal(true);
          }
        });

        it('no JSON object at all', async () => {
          for (const text of BAD_TEXTS) {
            const answer = await ask({ text, headers: { ...JSON_TYPE, 'x-idempotency-key': 'bad-text' } });
            expect(answer.status, `${text.slice(0, 50).toString()} ${answer.text}`).to.be.oneOf([400, 422]);
          }
        });
      }

      if (takesBody) {
        it('300 KiB', async () => {
          expect((await ask({ text: LARGE_TEXT, headers: JSON_TYPE })).error?.errorId).to.equal('PayloadTooLarge');
          expect((await ask({ text: LARGE_TEXT })).error?.errorId).to.equal('PayloadTooLarge');
        });

        it('another content type', async () => {
          const text = sample.text ?? JSON.stringify(sample.body ?? {});
          for (const type of BAD_CONTENT_TYPES) {
            expect((await ask({ text, headers: { 'content-type': type } })).error?.errorId, type).to.equal(
              'UnsupportedMediaType',
            );
          }
          expect((await ask({ text })).error?.errorId).to.equal('UnsupportedMediaType');
        });
      }

      if (isRaw) {
        it('a text of any kind, without a signature', async () => {
          for (const text of BAD_TEXTS) {
            const answer = await ask({ text, headers: { ...JSON_TYPE, 'x-sandbox-signature': 't=1,v1=00' } });
            expect(answer.status, answer.text).to.be.oneOf([400, 401]);
          }
        });
      }

      it('odd queries', async () => {
        const [pathname = '', own = ''] = sample.path.split('?');
        for (const query of BAD_QUERIES) await ask({ path: `${pathname}?${query}` });
        // without one a PUT is refused before its query is read
        const body = route.method === 'PUT' && { text: '{}', headers: JSON_TYPE };
        expect((await ask({ path: `${pathname}?${own}&unknown=1`, ...body })).text).to.contain('$.unknown');
        if (own !== '') for (const query of BAD_QUERIES) await ask({ path: `${pathname}?${own}&${query}` });
      });

      it('odd headers', async () => {
        for (const headers of ODD_HEADERS) {
          const { body, text, headers: own } = sample;
          await ask({
            ...(body !== undefined && { body }),
            ...(text !== undefined && { text }),
            headers: { ...JSON_TYPE, ...own, ...headers },
          });
        }
        for (const key of ['', ' ', 'cf_test_', 'x'.repeat(5_000), '\u00e9', '__proto__']) {
          const { status } = await http.request(
            route.method,
            sample.path,
            sample.token === undefined ? { key } : { token: key },
          );
          expect(status).to.equal(401);
        }
      });

      it('odd paths and methods', async () => {
        const [pathname = ''] = sample.path.split('?');
        // A path with a token is a credential for one processor: a wrong one is 401 (contract §8).
        const refused = name.endsWith('/:token') ? [401, 404, 405] : [404, 405];
        if (name.includes('/:')) {
          for (const segment of BAD_SEGMENTS) {
            const path = pathname.replace(/(pay|pm|cs|agr|customer)_[0-9a-zA-Z]+|sandbox(?=\/|$)/, () => segment);
            const answer = await ask({ path, ...(sample.body !== undefined && { body: sample.body }) });
            expect(answer.status, `${path} ${answer.text}`).to.be.oneOf(refused);
          }
        }
        for (const path of [
          `${pathname}/`,
          `/${pathname}`,
          pathname.toUpperCase(),
          `${pathname}/more/and/more`,
          `${pathname}%20`,
        ]) {
          expect((await ask({ path })).status, path).to.be.oneOf(refused);
        }
        const known = new Set(http.routes.filter(({ path }) => path === pathname).map(({ method }) => String(method)));
        for (const method of ['PUT', 'TRACE', 'OPTIONS', 'PROPFIND'].filter((one) => !known.has(one)))
          expect((await ask({ method, path: pathname })).status, method).to.equal(405);
      });
    });
  }

  describe('and all the while', () => {
    it('the service never met a fault', () => {
      expect(http.faults).to.deep.equal([]);
    });
  });
});
