// Whether the process lives and can work, for those who watch it (contract §9).
import { expect } from 'chai';
import { errorOf, serve } from './serve.ts';

describe('health', () => {
  it('is live and ready without a key, and whatever a probe appends', async () => {
    const served = await serve();
    try {
      expect((await served.ask({ path: '/health/live?from=probe' })).body).to.deep.equal({ status: 'live' });
      expect((await served.ask({ path: '/health/ready' })).body).to.deep.equal({ status: 'ready' });
      expect((await served.ask({ method: 'HEAD', path: '/health/ready' })).status).to.equal(200);
    } finally {
      await served.close();
    }
  });

  it('is degraded, and not refused, while streams are parked, and names at most twenty', async () => {
    const degraded = Array.from({ length: 25 }, (_, n) => `payment-pay_${n}`);
    const served = await serve({ readiness: { ready: true, reasons: [], degraded } });
    try {
      const answer = await served.ask({ path: '/health/ready' });
      expect([answer.status, answer.body]).to.deep.equal([200, { status: 'degraded', streams: degraded.slice(0, 20) }]);
    } finally {
      await served.close();
    }
  });

  it('is degraded, and says so in words, while something does not move', async () => {
    const notMoving = Array.from({ length: 25 }, (_, n) => `webhooks since 18:40, ${n + 2} events`);
    const served = await serve({ readiness: { ready: true, reasons: [], degraded: [], notMoving } });
    try {
      const answer = await served.ask({ path: '/health/ready' });
      expect([answer.status, answer.body]).to.deep.equal([
        200,
        { status: 'degraded', notMoving: notMoving.slice(0, 20) },
      ]);
    } finally {
      await served.close();
    }
  });

  it('is live, but 503 with the reasons, while a store is unavailable or a projection has stopped', async () => {
    const served = await serve({
      readiness: {
        ready: false,
        reasons: ['nothing is projected: the log says why', 'the event store is unavailable'],
        degraded: [],
      },
    });
    try {
      expect((await served.ask({ path: '/health/live' })).status).to.equal(200);
      const answer = await served.ask({ path: '/health/ready' });
      expect([answer.status, errorOf(answer).errorId, answer.headers['retry-after']]).to.deep.equal([
        503,
        'ServiceUnavailable',
        '1',
      ]);
      expect(errorOf(answer).description).to.contain(
        'nothing is projected: the log says why; the event store is unavailable',
      );
    } finally {
      await served.close();
    }
  });
});
