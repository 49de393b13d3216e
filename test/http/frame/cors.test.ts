// Browsers may call the checkout endpoints, with a client token, and nothing else (contract §3).
import { expect } from 'chai';
import { JSON_TYPE, KEY, type Served, serve } from './serve.ts';

describe('CORS', () => {
  let served: Served;
  before(async () => {
    served = await serve();
  });
  after(() => served.close());
  const PREFLIGHT = {
    origin: 'https://shop.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-client-token',
  };

  it('is allowed on checkout paths, errors included', async () => {
    const token = { 'x-client-token': 'token' };
    const answers = [
      await served.ask({ method: 'POST', path: '/checkout/things', headers: { ...token, ...JSON_TYPE }, body: '{}' }),
      await served.ask({ method: 'POST', path: '/checkout/things', headers: { ...token, ...JSON_TYPE }, body: '{' }),
      await served.ask({ method: 'POST', path: '/checkout/things' }),
      await served.ask({ path: '/checkout/nothing' }),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 400, 401, 404]);
    for (const { headers } of answers) {
      expect(headers['access-control-allow-origin']).to.equal('*');
      expect(headers['access-control-expose-headers']).to.contain('X-Request-Id').and.to.contain('Retry-After');
    }
  });

  it('answers a preflight with the allowed methods and headers', async () => {
    const { status, headers } = await served.ask({ method: 'OPTIONS', path: '/checkout/things', headers: PREFLIGHT });
    expect(status).to.equal(204);
    expect(headers['access-control-allow-origin']).to.equal('*');
    expect(headers['access-control-allow-methods']).to.equal('POST');
    expect(headers['access-control-allow-headers']).to.contain('X-Client-Token').and.to.contain('X-Idempotency-Key');
    expect(headers).not.to.have.property('access-control-allow-credentials');
  });

  it('is the same for a target with scheme and host, as some proxies send it', async () => {
    const path = 'http://pay.example/checkout/things';
    const preflight = await served.ask({ method: 'OPTIONS', path, headers: PREFLIGHT });
    const answer = await served.ask({ method: 'POST', path });
    expect([preflight.status, answer.status]).to.deep.equal([204, 401]);
    for (const { headers } of [preflight, answer]) expect(headers['access-control-allow-origin']).to.equal('*');
  });

  it('is allowed nowhere else', async () => {
    const preflight = await served.ask({ method: 'OPTIONS', path: '/things', headers: PREFLIGHT });
    const answer = await served.ask({ path: '/things', headers: { ...KEY, origin: 'https://shop.example' } });
    const near = await served.ask({ path: '/checkoutthings' });
    expect([preflight.status, answer.status, near.status]).to.deep.equal([405, 200, 404]);
    for (const { headers } of [preflight, answer, near])
      expect(headers).not.to.have.property('access-control-allow-origin');
  });
});
