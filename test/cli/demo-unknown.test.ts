// counterfoil demo --unknown, as a new user tries it: two lost answers, no guess, and books that are equal to the cent.
import { expect } from 'chai';
import { z } from 'zod';
import { Place } from './processes.ts';

const Answer = z.looseObject({
  status: z.string().optional(),
  statusReason: z.object({ type: z.string() }).optional(),
  data: z.array(z.unknown()).optional(),
});
const Demo = z.object({
  payments: z.array(
    z.object({
      paymentId: z.string(),
      status: z.string(),
      authorized: z.number(),
      captured: z.number(),
      refunded: z.number(),
      ledger: z.object({ authorized: z.number(), captured: z.number(), refunded: z.number() }),
    }),
  ),
  exchanges: z.array(z.object({ method: z.string(), path: z.string(), status: z.number(), answer: Answer })),
});

describe('counterfoil demo --unknown', () => {
  const place = new Place();
  after(() => place.remove());
  let demo: z.infer<typeof Demo>;
  let stderr: string;
  before(async () => {
    const ran = await place.run('demo --unknown --json', { env: { COUNTERFOIL_PORT: '1' } });
    if (ran.code !== 0) throw new Error(ran.stderr);
    demo = Demo.parse(JSON.parse(ran.stdout));
    ({ stderr } = ran);
  });

  /** The requests about one of the two payments, and the resulting payment. */
  const story = (index: number): readonly string[] => {
    const id = demo.payments[index]?.paymentId ?? '';
    return demo.exchanges
      .filter(({ path, answer }) => path.includes(id) || answer['id'] === id)
      .map(({ method, path, status, answer }) => {
        const told = [answer.status, answer.statusReason?.type].filter((word) => word !== undefined).join(' ');
        return `${method} ${path.replace(id, ':id')} ${status}${told === '' ? '' : `: ${told}`}`;
      });
  };

  it('shows a lost answer: no outcome is claimed until the processor has answered, and then the payment goes on', () => {
    expect(story(0)).to.deep.equal([
      'POST /payments 202: PENDING GATEWAY_TIMEOUT',
      'GET /payments/:id 200: AUTHORIZED',
      'POST /payments/:id/capture 200: SETTLED',
      'POST /payments/:id/refund 200: SETTLED',
    ]);
  });

  it('shows that "not found" at first is not believed', () => {
    expect(story(1)).to.deep.equal([
      'POST /payments 202: PENDING GATEWAY_TIMEOUT',
      'GET /payments/:id/events 200',
      'GET /payments/:id 200: PENDING GATEWAY_TIMEOUT',
      'GET /payments/:id 200: AUTHORIZED',
      'POST /payments/:id/capture 200: SETTLED',
      'POST /payments/:id/refund 200: SETTLED',
    ]);
    const events = demo.exchanges.find(({ path }) => path.endsWith('/events'))?.answer.data;
    expect(events?.at(-1)).to.deep.include({
      type: 'LookUpRecorded',
      actor: { kind: 'policy', id: 'resolve-unknown-outcomes' },
    });
    expect(JSON.stringify(events?.at(-1))).to.contain('"answer":"not_found"');
  });

  it('compares the processor’s own books with the payments: equal to the cent', () => {
    for (const { authorized, captured, refunded, ledger } of demo.payments) {
      expect({ authorized, captured, refunded }).to.deep.equal({ authorized: 5_490, captured: 5_490, refunded: 2_500 });
      expect(ledger).to.deep.equal({ authorized, captured, refunded });
    }
    expect(demo.exchanges.filter(({ path }) => path.startsWith('/sandbox/ledger'))).to.have.length(2);
  });

  it('prints its steps, and leaves no file', async () => {
    expect(stderr).to.contain('a service in memory').and.contain('"Not found" this early proves nothing');
    expect((await place.run('keys list')).code).to.equal(2);
  });
});
