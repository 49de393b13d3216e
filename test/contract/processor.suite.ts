// The duties of any processor, whatever its server does: outcomes by evidence, one request a call, reads that only read
// (contract §4).
import { expect } from 'chai';
import type { Outcome } from '../../src/domain/payment/outcome.ts';
import type {
  Call,
  CardDetails,
  Connection,
  OperationRequest,
  Processor,
  ProcessorNotification,
} from '../../src/processors/processor.ts';
import { until } from '../support/until.ts';
import { type Misbehaviour, misbehavingProxy } from './misbehaving-proxy.ts';

/** The effect at the server. */
export interface Effect {
  readonly reference: string;
  readonly amount: number;
  readonly currencyCode: string;
}

export interface ProcessorUnderTest {
  readonly processor: Processor;
  readonly connection: Connection;
  /** A card that every operation of is approved at once. */
  readonly card: CardDetails;
  /** A card that the processor does not take. */
  readonly refusedCard: CardDetails;
  /** The successes at the server, each by our reference, past all faults. */
  readonly effects: () => Promise<readonly Effect[]>;
  /** A notification that the authorization `reference` of 1000 EUR succeeded, as it comes in. */
  readonly notify: (reference: string, processorTransactionId: string) => Incoming;
  /** For a processor without a server: lets every operation and look-up go wrong as the proxy would. */
  readonly misbehave?: (how: Misbehaviour | undefined) => Promise<void>;
  readonly close: () => Promise<void>;
}
export interface Incoming {
  readonly raw: string;
  readonly headers: { readonly [name: string]: string };
  /** When it comes in, ms. */
  readonly now: number;
}

/** Puts a proxy that misbehaves before the server at a URL, and answers the URL to be called instead. */
export type Through = (target: string) => Promise<string>;

interface Expected {
  readonly outcome: Outcome['kind'];
  readonly found: 'succeeded' | 'not_found';
}
/** When the operations of this suite were requested, ms. */
const NOW = Date.UTC(2026, 4, 1, 12);
const HAPPENED: Expected = { outcome: 'unknown', found: 'succeeded' };
const NOTHING: Expected = { outcome: 'unknown', found: 'not_found' };
const EXPECTED: { readonly [M in Exclude<Misbehaviour, 'twice' | 'other_currency'>]: Expected } = {
  refused: { outcome: 'not_sent', found: 'not_found' },
  reset_before: NOTHING,
  reset_after: HAPPENED,
  hung: HAPPENED,
  status_409: NOTHING,
  status_429: NOTHING,
  status_500_after: HAPPENED,
  truncated: HAPPENED,
  late: HAPPENED,
};
/** No answer comes before the caller's deadline. */
const SILENT: ReadonlySet<Misbehaviour> = new Set(['hung', 'late']);
const UNANSWERED = [
  'refused',
  'reset_before',
  'reset_after',
  'hung',
  'status_429',
  'status_500_after',
  'truncated',
] as const;

type Named = Extract<keyof typeof EXPECTED, Misbehaviour>;
const isNamed = (how: string): how is Named => Object.hasOwn(EXPECTED, how);

/** One `describe`; `make` is called again for every test, and passes its server's URL to `through` if it has one. */
export function processorConformance(name: string, make: (through: Through) => Promise<ProcessorUnderTest>): void {
  describe(`${name} as a processor`, () => {
    let proxy: Awaited<ReturnType<typeof misbehavingProxy>> | undefined;
    let tested: ProcessorUnderTest;
    let token: string;
    beforeEach(async () => {
      proxy = undefined;
      tested = await make(async (target) => {
        proxy = await misbehavingProxy(target);
        return proxy.url;
      });
      const { processor, card } = tested;
      const tokenized = await processor.tokenize({ reference: 'tok_1', accountId: 'acc_1', from: { card } }, callOf());
      if (tokenized.kind !== 'token') throw new Error(tokenized.description);
      token = tokenized.processorToken;
    });
    afterEach(async () => {
      await tested.close();
      await proxy?.close();
    });

    const callOf = (signal: AbortSignal = new AbortController().signal): Call => ({
      connection: tested.connection,
      signal,
    });
    const misbehave = (how: Misbehaviour | undefined): Promise<void> =>
      (tested.misbehave ?? proxy?.misbehave)?.(how) ?? missing();
    const authorization = (reference: string, change: object = {}): OperationRequest => ({
      operation: 'authorization',
      reference,
      accountId: 'acc_1',
      paymentId: 'pay_1',
      amount: 1_000,
      currencyCode: 'EUR',
      requestedAt: NOW,
      processorToken: token,
      ...change,
    });
    const effectsOf = async (reference: string): Promise<readonly Effect[]> =>
      (await tested.effects()).filter((effect) => effect.reference === reference);
    const authorized = async (reference: string): Promise<string> => {
      const outcome = await tested.processor.perform(authorization(reference), callOf());
      if (outcome.kind !== 'succeeded') throw new Error(`${reference}: ${JSON.stringify(outcome)}`);
      return outcome.processorTransactionId;
    };
    /** A request of each operation that follows from an existing authorization. */
    const following = async (): Promise<readonly OperationRequest[]> => {
      const { adjustment } = tested.processor.capabilities(tested.connection);
      const about = { accountId: 'acc_1', paymentId: 'pay_1', amount: 1_000, currencyCode: 'EUR', requestedAt: NOW };
      const held = async (reference: string) => ({ processorTransactionId: await authorized(reference) });
      const captured = await held('pay1r');
      const capture = {
        ...about,
        operation: 'capture',
        reference: 'pay1rc',
        authorization: captured,
        final: true,
      } as const;
      const done = await tested.processor.perform(capture, callOf());
      if (done.kind !== 'succeeded') throw new Error('the capture did not succeed');
      const captures = [{ processorTransactionId: done.processorTransactionId }];
      return [
        { ...about, operation: 'capture', reference: 'capture1', authorization: await held('pay1c'), final: true },
        { ...about, operation: 'cancellation', reference: 'void1', authorization: await held('pay1v'), amount: 0 },
        { ...about, operation: 'refund', reference: 'refund1', authorization: captured, captures },
        ...(adjustment === 'none'
          ? []
          : [
              {
                ...about,
                operation: 'adjustment',
                reference: 'adjust1',
                authorization: await held('pay1j'),
                amount: 1_500,
              } as const,
            ]),
      ];
    };
    /** Performs it while the server misbehaves, with a deadline that comes when the effect is there. */
    const performed = async (request: OperationRequest, how: Misbehaviour): Promise<Outcome> => {
      await misbehave(how);
      const over = new AbortController();
      const asked = tested.processor.perform(request, callOf(over.signal));
      if (SILENT.has(how)) {
        await until(async () => (await effectsOf(request.reference)).length > 0);
        over.abort();
      }
      const outcome = await asked;
      await misbehave(undefined);
      return outcome;
    };

    it('does every operation once, and answers a look-up of it as it answered the call', async () => {
      const first = authorization('pay1a');
      const outcome = await tested.processor.perform(first, callOf());
      expect(outcome).to.include({ kind: 'succeeded', amount: 1_000, currencyCode: 'EUR' });
      expect(await tested.processor.lookUp(first, callOf())).to.deep.equal(outcome);
      for (const request of await following()) {
        const told = await tested.processor.perform(request, callOf());
        expect(told.kind, request.operation).to.equal('succeeded');
        expect(await tested.processor.lookUp(request, callOf()), request.operation).to.deep.equal(told);
        expect(await effectsOf(request.reference), request.operation).to.have.length(1);
      }
    });

    it('does one thing for one reference that it is asked for twice', async () => {
      const request = authorization('pay1twice');
      const first = await tested.processor.perform(request, callOf());
      expect(await tested.processor.perform(request, callOf())).to.deep.equal(first);
      expect(await effectsOf('pay1twice')).to.have.length(1);
    });

    it('finds an authorization by our own reference where its name is not known', async () => {
      await authorized('pay1known');
      const about = { accountId: 'acc_1', paymentId: 'pay_1', amount: 400, currencyCode: 'EUR', requestedAt: NOW };
      const capture = {
        ...about,
        operation: 'capture',
        reference: 'c1',
        authorization: { reference: 'pay1known' },
        final: false,
      } as const;
      expect(await tested.processor.perform(capture, callOf())).to.include({ kind: 'succeeded', amount: 400 });
    });

    it('calls an unseen operation not found, and a look-up changes nothing', async () => {
      const before = await tested.effects();
      expect(await tested.processor.lookUp(authorization('pay1never'), callOf())).to.deep.equal({ kind: 'not_found' });
      expect(await tested.effects()).to.deep.equal(before);
    });

    for (const how of Object.keys(EXPECTED).filter(isNamed)) {
      it(`grades an operation whose server is ${how} as ${EXPECTED[how].outcome}, and finds out afterwards`, async () => {
        const { outcome, found } = EXPECTED[how];
        for (const request of [authorization(`pay1${how}`), ...(await following())]) {
          const sentBefore = proxy?.requests ?? 0;
          const told = await performed(request, how);
          expect(told.kind, request.operation).to.equal(outcome);
          const requests = (proxy?.requests ?? 0) - sentBefore;
          if (proxy !== undefined)
            expect(requests, 'requests that the server saw').to.equal(outcome === 'not_sent' ? 0 : 1);
          expect(await effectsOf(request.reference), request.operation).to.have.length(found === 'succeeded' ? 1 : 0);
          expect((await tested.processor.lookUp(request, callOf())).kind, request.operation).to.equal(found);
          expect(JSON.stringify(told)).to.not.contain(tested.card.number);
        }
      });
    }

    it('does one thing although its server gets the request twice', async () => {
      expect((await performed(authorization('pay1again'), 'twice')).kind).to.equal('succeeded');
      expect(await effectsOf('pay1again')).to.have.length(1);
    });

    it('reports another currency than asked as it is, and takes it for nothing else', async () => {
      const outcome = await performed(authorization('pay1usd'), 'other_currency');
      expect(outcome).to.deep.include({ kind: 'succeeded', amount: 1_000, currencyCode: 'USD' });
    });

    for (const how of UNANSWERED) {
      it(`calls a look-up whose server is ${how} unanswered, never not found`, async () => {
        await authorized('pay1looked');
        await misbehave(how);
        const over = new AbortController();
        const asked = tested.processor.lookUp(authorization('pay1looked'), callOf(over.signal));
        if (how === 'hung') setImmediate(() => over.abort());
        expect((await asked).kind).to.be.oneOf(['unreachable', 'unknown']);
        await misbehave(undefined);
        expect((await tested.processor.lookUp(authorization('pay1looked'), callOf())).kind).to.equal('succeeded');
      });
    }

    it('sends nothing when the deadline has passed already', async () => {
      const before = proxy?.requests;
      expect((await tested.processor.perform(authorization('pay1late'), callOf(AbortSignal.abort()))).kind).to.equal(
        'not_sent',
      );
      expect(proxy?.requests).to.equal(before);
      expect(await effectsOf('pay1late')).to.deep.equal([]);
    });

    it('makes one token of one reference, and tells the parts of the card that may be kept', async () => {
      const { processor, card, refusedCard } = tested;
      const again = await processor.tokenize({ reference: 'tok_1', accountId: 'acc_1', from: { card } }, callOf());
      expect(again).to.deep.include({ kind: 'token', processorToken: token });
      expect(again).to.have.nested.property('card.last4Digits', card.number.slice(-4));
      expect(JSON.stringify(again)).to.not.contain(card.number);
      const refused = await processor.tokenize(
        { reference: 'tok_2', accountId: 'acc_1', from: { card: refusedCard } },
        callOf(),
      );
      expect(refused.kind).to.equal('refused');
    });

    it('tells its capabilities', () => {
      const { partialCapture, multipleCaptures, adjustment } = tested.processor.capabilities(tested.connection, {
        network: 'VISA',
      });
      expect([typeof partialCapture, typeof multipleCaptures]).to.deep.equal(['boolean', 'boolean']);
      expect(adjustment).to.be.oneOf(['none', 'raise', 'any']);
    });

    describe('told of by a notification', () => {
      const read = ({ raw, headers, now }: Incoming): ReturnType<Processor['notifications']> =>
        tested.processor.notifications(raw, headers, tested.connection, now);
      const only = (items: ReturnType<Processor['notifications']>): ProcessorNotification => {
        const [one, ...others] = typeof items === 'string' ? [] : items;
        if (one === undefined || others.length > 0) throw new Error(`not one notification: ${JSON.stringify(items)}`);
        return one;
      };

      it('believes its signature over the very bytes, and no other', async () => {
        const came = tested.notify('pay1n', await authorized('pay1n'));
        const { about } = only(read(came));
        expect(about).to.have.property('operation', 'authorization');
        expect(about).to.deep.nested.include({
          'outcome.kind': 'succeeded',
          'outcome.amount': 1_000,
          'outcome.currencyCode': 'EUR',
        });
        expect(read({ ...came, raw: came.raw.replace('1000', '9000') })).to.equal('bad_signature');
        expect(read({ ...came, headers: {} })).to.equal('bad_signature');
      });

      it('reads a stored notification like an incoming one, and calls anything else undefined', async () => {
        const came = tested.notify('pay1n', await authorized('pay1n'));
        expect(tested.processor.reread(came.raw)).to.deep.equal(read(came));
        for (const raw of ['', '[', '{}', 'null', '"text"'])
          expect(tested.processor.reread(raw), raw).to.equal(undefined);
      });
    });
  });
}

const missing = (): never => {
  throw new Error('neither a server nor a way to misbehave was given');
};
