// Concurrent changes of one session on two nodes, and reads on one node of writes on the other. RACES_READS asks for so
// many times the reads.
import { expect } from 'chai';
import { z } from 'zod';
import { pause } from '../support/calm-world.ts';
import { authorized, createSession, ok, paymentIn, tally, tokenize, verdictOf } from '../support/load-calls.ts';
import type { Answer, Client } from '../support/load-client.ts';
import { type Arena, appendedSince, arenas, atOnce, typesOf } from './arena.ts';

const Updated = z.looseObject({ set: z.looseObject({ metadata: z.looseObject({ n: z.int() }).optional() }) });
const WithMetadata = z.looseObject({ metadata: z.looseObject({ n: z.int() }) });

/** A node that reads too early does so in nearly every try. */
const TIMES = Number(process.env['RACES_READS'] ?? 1);

for (const [name, open] of arenas) {
  describe(`sessions that race, on ${name}`, () => {
    let arena: Arena;
    before(async () => {
      arena = await open();
    });
    after(() => arena.close());
    afterEach(() => expect(arena.faults()).to.deep.equal([]));

    it('keep every acknowledged one of 64 changes, each at a revision of its own', async () => {
      const clientToken = await createSession(arena.nodes[0]);
      const head = await arena.events.head();
      const answers = await atOnce(64, arena, (node, n) =>
        node.call('PATCH', '/client-session', { clientToken, metadata: { n } }),
      );
      const { '200': done = 0, '409 Conflict': lost = 0, ...others } = tally(answers);
      expect(others).to.deep.equal({});
      expect([done + lost, lost < 16]).to.deep.equal([64, true]);
      const stored = (await appendedSince(arena.events, head)).filter(({ type }) => type === 'ClientSessionUpdated');
      const at = new Map(
        stored.map(({ revision, data }) => [revision, Updated.parse(JSON.parse(data)).set.metadata?.n]),
      );
      const acknowledged = answers.flatMap((answer, n) => (answer.status === 200 ? [{ n, answer }] : []));
      expect(at.size).to.equal(done);
      expect(new Set(acknowledged.map(({ answer }) => answer.revision)).size).to.equal(done);
      for (const { n, answer } of acknowledged) {
        expect(at.get(answer.revision)).to.equal(n);
        expect(WithMetadata.parse(answer.body).metadata.n).to.equal(n);
      }
    });

    it('are changed once by twenty calls with the same If-Match', async () => {
      const clientToken = await createSession(arena.nodes[0]);
      const answers = await atOnce(20, arena, (node, n) =>
        node.call('PATCH', '/client-session', { clientToken, metadata: { n } }, { 'If-Match': '"0"' }),
      );
      expect(tally(answers)).to.deep.equal({ '200': 1, '412 PreconditionFailed': 19 });
    });

    it('are either changed before their payment, which then has the change, or not changed', async () => {
      for (let round = 0; round < 10; round += 1) {
        const clientToken = await createSession(arena.nodes[0]);
        const paymentMethodToken = await tokenize(arena.nodes[0], clientToken);
        const [patched, paid] = await Promise.all([
          arena.nodes[round % 2 === 0 ? 0 : 1].call('PATCH', '/client-session', { clientToken, amount: 7 }),
          arena.nodes[round % 2 === 0 ? 1 : 0].call('POST', '/payments', { clientToken, paymentMethodToken }),
        ]);
        expect(paymentIn(ok(paid)).amount).to.equal(patched.status === 200 ? 7 : 1_000);
      }
    });

    it('are charged what a press showed, or nothing, however a change and a press cross', async () => {
      const shown = { amount: 1_000, currencyCode: 'EUR' };
      const verdicts: string[] = [];
      for (let round = 0; round < 24; round += 1) {
        const [one, two] = round % 2 === 0 ? arena.nodes : [arena.nodes[1], arena.nodes[0]];
        const clientToken = await createSession(one);
        const paymentMethodToken = await tokenize(one, clientToken);
        // The one or the other is ahead by up to 12 ms.
        const lead = (round >> 1) - 6;
        const [patched, paid] = await Promise.all([
          pause(Math.max(0, -lead) * 2).then(() => one.call('PATCH', '/client-session', { clientToken, amount: 7 })),
          pause(Math.max(0, lead) * 2).then(() =>
            two.inCheckout(
              clientToken,
              'POST',
              '/checkout/payments',
              { paymentMethodToken, shown },
              { 'X-Idempotency-Key': `press-${round}` },
            ),
          ),
        ]);
        verdicts.push(`${verdictOf(patched)}, ${verdictOf(paid)}`);
        if (paid.status === 200) expect(paid.body).to.include(shown);
      }
      const possible = ['200, 409 AmountChanged', '409 ClientSessionCompleted, 200'];
      expect(verdicts.filter((verdict) => !possible.includes(verdict))).to.deep.equal([]);
    });

    it('do not conflict when many different sessions are made and changed at once', async () => {
      const head = await arena.events.head();
      const answers = await atOnce(40, arena, async (node, n) =>
        node.call('PATCH', '/client-session', { clientToken: await createSession(node), metadata: { n } }),
      );
      expect(tally(answers)).to.deep.equal({ '200': 40 });
      expect(typesOf(await appendedSince(arena.events, head))).to.deep.equal({
        ClientSessionCreated: 40,
        ClientSessionUpdated: 40,
      });
    });
  });

  describe(`a client that writes on one node and reads on the other, on ${name},`, () => {
    let arena: Arena;
    let loading = true;
    let load: Promise<unknown>;
    before(async () => {
      arena = await open();
      load = Promise.all(arena.nodes.map((node) => keepBusy(node)));
    });
    after(async () => {
      loading = false;
      await load;
      await arena.close();
    });

    /** Other work that both nodes do meanwhile. */
    async function keepBusy(node: Client): Promise<void> {
      const clientToken = await createSession(node);
      for (let n = 0; loading; n += 1)
        ok(await node.call('PATCH', '/client-session', { clientToken, metadata: { n } }));
    }

    async function readsWhatWasWritten(
      tries: number,
      write: (node: Client, n: number) => Promise<Answer>,
      read: (node: Client, written: Answer) => Promise<Answer>,
    ): Promise<void> {
      for (let n = 0; n < tries; n += 1) {
        const [writer, reader] = n % 2 === 0 ? arena.nodes : [arena.nodes[1], arena.nodes[0]];
        const written = ok(await write(writer, n));
        const found = ok(await read(reader, written));
        expect(found.revision, `try ${n}`).to.be.at.least(written.revision);
        if (found.revision === written.revision) expect(found.text).to.equal(written.text);
      }
    }

    it('sees its change of a session', async () => {
      const clientToken = await createSession(arena.nodes[0]);
      await readsWhatWasWritten(
        TIMES * 60,
        (node, n) => node.call('PATCH', '/client-session', { clientToken, metadata: { n } }),
        (node) => node.call('GET', `/client-session?clientToken=${clientToken}`),
      );
    });

    it('sees its change of a payment', async () => {
      let id = '';
      await readsWhatWasWritten(
        TIMES * 30,
        async (node, n) => {
          if (n % 10 === 0) ({ id } = await authorized(node));
          return node.call('POST', `/payments/${id}/capture`, { amount: 10, final: false });
        },
        (node) => node.call('GET', `/payments/${id}`),
      );
    });

    it('finds its new payment in the list', async () => {
      for (let n = 0; n < TIMES * 12; n += 1) {
        const [writer, reader] = n % 2 === 0 ? arena.nodes : [arena.nodes[1], arena.nodes[0]];
        const { id } = await authorized(writer, { orderId: `order-${n}` });
        const { text } = ok(await reader.call('GET', `/payments?order_id=order-${n}`));
        expect(text).to.contain(id);
      }
    });

    it('sees its change of an instrument', async () => {
      const path = (answer: Answer): string =>
        `/payment-instruments/${z.looseObject({ token: z.string() }).parse(answer.body).token}`;
      let token = '';
      await readsWhatWasWritten(
        TIMES * 24,
        async (node, n) => {
          if (n % 3 !== 0)
            return n % 3 === 1
              ? node.call('POST', `/payment-instruments/${token}/default`)
              : node.call('DELETE', `/payment-instruments/${token}`);
          token = await tokenize(node, await createSession(node));
          return node.call('POST', `/payment-instruments/${token}/vault`, { customerId: `c-${n}` });
        },
        (node, written) => node.call('GET', path(written)),
      );
    });
  });
}
