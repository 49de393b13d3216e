// The comparison of the sandbox's ledger with the read models finds every kind of difference, and nothing else.
import { expect } from 'chai';
import { defaultTimings } from '../../../src/commands/payment-timings.ts';
import type { Payment } from '../../../src/domain/payment/payment.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import { paymentIdOfReference } from '../../../src/domain/payment/reference.ts';
import { payments } from '../../../src/projections/models/payments.ts';
import { type Comparison, compareLedger, type ProcessorLedger } from '../../../src/queries/ledger/compare-ledger.ts';
import { type Difference, inWords, type ProcessorLine } from '../../../src/queries/ledger/payment-ledger.ts';
import { memoryReadModels } from '../../../src/stores/memory/read-models.ts';
import type { ReadModels } from '../../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { done } from '../../support/answers.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { movableWorld } from '../../support/test-world.ts';
import { wholeLedger } from '../../support/whole-ledger.ts';

const ACCOUNT = 'acc_1';

describe('comparing the ledger', () => {
  const world = movableWorld();
  let stores: Stores;
  let node: TestNode;
  beforeEach(async () => {
    stores = await memoryStores(world);
    node = await nodeOn(stores, { timings: { ...defaultTimings, answerWithinMs: 50 } });
  });

  /** The id of a payment of 1000. */
  const pay = async (number?: string, currencyCode: 'EUR' | 'JPY' = 'EUR'): Promise<string> => {
    const { service } = node;
    const session = await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode, amount: 1_000 },
      merchant(ACCOUNT, world),
    );
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const { id, clientToken } = session;
    const paymentMethodToken = done(
      await service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, id, world)),
    ).id;
    return done(await service.payments.authorizePayment({ clientToken, paymentMethodToken }, merchant(ACCOUNT, world)))
      .id;
  };
  /** Captured whole, and 300 of it refunded. */
  const refunded = async (): Promise<string> => {
    const id = await pay();
    done(await node.service.payments.capturePayment(id, {}, merchant(ACCOUNT, world)));
    done(await node.service.payments.refundPayment(id, { amount: 300 }, merchant(ACCOUNT, world)));
    return id;
  };

  interface Compared {
    readonly comparison: Comparison;
    readonly said: readonly string[];
  }
  const compare = async (
    ledger: ProcessorLedger = stores.sandbox,
    readModels: ReadModels = node.service.readModels,
    current = (id: string) => node.service.streams.payments.current(id),
  ): Promise<Compared> => {
    const said: string[] = [];
    const found = (difference: Difference): void => {
      if ('logRevision' in difference || 'unreadable' in difference)
        return void said.push(inWords(difference).replace(difference.paymentId, 'it'));
      const { reference, ledger, readModel } = difference;
      said.push(`${reference === undefined ? '' : `${operationIn(reference)}: `}${ledger} | ${readModel}`);
    };
    const comparison = await compareLedger({
      ledger,
      readModels,
      world: quickly,
      current,
      found,
    });
    expect(comparison.differences).to.equal(said.length);
    return { comparison, said };
  };
  const quickly = { sleep: async () => undefined };
  const operationIn = (reference: string): string => {
    const line = lines.find((one) => one.reference === reference);
    return line === undefined ? 'a reference' : `the ${line.operation}`;
  };
  let lines: readonly ProcessorLine[] = [];
  /** The sandbox with other lines than it has. */
  const withLines = async (change: (line: ProcessorLine) => readonly ProcessorLine[]): Promise<ProcessorLedger> => {
    lines = await wholeLedger(stores.sandbox);
    const changed = lines.flatMap(change);
    return {
      name: 'sandbox',
      linesOf: async (references) => changed.filter(({ reference }) => references.includes(reference)),
      ledgerOf: async () => ({ lines: changed }),
    };
  };
  const onlyOf =
    (operation: string, change: (line: ProcessorLine) => readonly ProcessorLine[]) => (line: ProcessorLine) =>
      line.operation === operation ? change(line) : [line];

  it('counts payments, lines and sums that are equal', async () => {
    await refunded();
    await pay(undefined, 'JPY');
    await pay('4000000000000002');
    const { comparison, said } = await compare();
    expect(said).to.deep.equal([]);
    expect(comparison).to.include({ payments: 3, lines: 5, open: 0 });
    expect([...comparison.totals]).to.have.deep.members([
      ['EUR', { authorized: 1_000, captured: 1_000, refunded: 300 }],
      ['JPY', { authorized: 1_000, captured: 0, refunded: 0 }],
    ]);
  });

  it('goes on past a payment whose stream cannot be read, and not where the store is unavailable', async () => {
    await refunded();
    const broken = await pay();
    const ledger = await withLines((line) => (paymentIdOfReference(line.reference) === broken ? [] : [line]));
    const failing = (fault: Error) =>
      compare(ledger, node.service.readModels, async (id) => {
        if (id === broken) throw fault;
        return node.service.streams.payments.current(id);
      });
    const { comparison, said } = await failing(new Error('an event is missing'));
    expect(said).to.have.length(1);
    expect(said[0]).to.include('an event is missing');
    expect(comparison.totals.get('EUR')).to.include({ captured: 1_000, refunded: 300 });
    const fault = await failing(new StoreUnavailable('the disk is gone')).catch((thrown: unknown) => thrown);
    expect(fault).to.be.instanceOf(StoreUnavailable);
  });

  it('does so page by page, however many there are', async () => {
    for (let count = 0; count < 251; count += 1) await pay();
    const pages: number[] = [];
    const ledger: ProcessorLedger = {
      name: 'sandbox',
      ledgerOf: (accountId, _limit, after) => stores.sandbox.ledgerOf(accountId, 100, after),
      linesOf(references) {
        pages.push(references.length);
        return stores.sandbox.linesOf(references);
      },
    };
    expect((await compare(ledger)).comparison).to.include({ payments: 251, lines: 251, differences: 0 });
    expect(pages).to.deep.equal([100, 100, 51]);
  });

  it('leaves open amounts out, and counts them', async () => {
    await pay('4000009900001077'); // it happened, and no node here knows it yet
    await pay('4000009900001051'); // nothing happened, and no node here knows it yet
    await pay('4000009900001036'); // pending for ever
    const { comparison, said } = await compare();
    expect(said).to.deep.equal([]);
    expect(comparison).to.include({ payments: 3, lines: 2, open: 3 });
  });

  const CASES: readonly (readonly [
    name: string,
    change: (line: ProcessorLine) => readonly ProcessorLine[],
    said: readonly string[],
  ])[] = [
    [
      'an operation that the ledger does not have',
      onlyOf('refund', () => []),
      ['the refund: nothing | refund succeeded'],
    ],
    [
      'another amount',
      onlyOf('capture', (line) => [{ ...line, amount: 999 }]),
      ['the capture: capture succeeded 999 EUR | capture succeeded 1000 EUR'],
    ],
    [
      'another currency',
      onlyOf('refund', (line) => [{ ...line, currencyCode: 'USD' }]),
      ['the refund: refund succeeded 300 USD | refund succeeded 300 EUR'],
    ],
    [
      'another outcome',
      onlyOf('refund', (line) => [{ ...line, outcome: 'declined' }]),
      ['the refund: refund declined | refund succeeded'],
    ],
    [
      'another operation',
      onlyOf('refund', (line) => [{ ...line, operation: 'capture' }]),
      ['the refund: capture succeeded | refund succeeded'],
    ],
    [
      'a line that its payment does not know',
      onlyOf('refund', (line) => [line, { ...line, reference: line.reference.replace(/.{8}$/, 'deadbeef') }]),
      ['a reference: refund succeeded 300 EUR | nothing'],
    ],
    [
      'a line of no payment at all',
      onlyOf('refund', (line) => [line, { ...line, reference: 'pay_none.1', paymentId: 'pay_none' }]),
      ['a reference: refund succeeded 300 EUR | nothing'],
    ],
  ];
  for (const [name, change, expected] of CASES) {
    it(`finds ${name}`, async () => {
      await refunded();
      expect((await compare(await withLines(change))).said).to.deep.equal(expected);
    });
  }

  it('finds money that moved although we hold it for declined', async () => {
    await pay('4000000000000002');
    const ledger = await withLines((line) => [{ ...line, outcome: 'succeeded' }]);
    expect((await compare(ledger)).said).to.deep.equal([
      'the authorization: authorization succeeded | authorization declined',
    ]);
  });

  describe('an attempt that an operator has settled', () => {
    const AS = [
      ['failed', '4000009900001051', []],
      ['failed', '4000009900001077', ['the authorization: authorization succeeded | authorization not_found']],
      ['succeeded', '4000009900001077', []],
      ['succeeded', '4000009900001051', ['a reference: nothing | authorization succeeded']],
    ] as const;
    for (const [as, number, expected] of AS) {
      it(`as ${as} is ${expected.length === 0 ? 'equal' : 'different'} with card ${number}`, async () => {
        // The processor sends no notification: its own word would come before an operator's.
        const silent = scripted(stores.sandbox, { lookUp: () => ({ kind: 'unknown', detail: 'unavailable' }) });
        node = await nodeOn(stores, { timings: { ...defaultTimings, answerWithinMs: 50 }, processor: silent });
        const id = await pay(number);
        const resolved = await node.service.payments.resolvePayment(id, { as, evidence: 'they told us' });
        expect(resolved.kind).to.equal('resolved');
        lines = await wholeLedger(stores.sandbox);
        expect((await compare()).said).to.deep.equal(expected);
      });
    }
  });

  /** Another document of the payment in the read model than its stream folds to. */
  const rewrite = async (id: string, change: (payment: Payment) => Payment): Promise<void> => {
    const { readModels } = node.service;
    const [row] = await readModels.get(payments, [id]);
    if (row === undefined) throw new Error('there is no such payment');
    await readModels.write(payments, [{ ...row, revision: row.revision + 1, doc: change(row.doc) }]);
  };

  it('finds totals that are not the sums of the lines', async () => {
    await rewrite(await refunded(), (doc) => ({ ...doc, amountCaptured: 1_001 }));
    expect((await compare()).said).to.deep.equal(['captured 1000 EUR | captured 1001 EUR']);
  });

  it('counts money that only an operator closes, and does not call it a difference', async () => {
    const difference = { captured: 1_500, capturable: 0, refunded: 300, currencyCode: 'EUR' };
    await rewrite(await refunded(), (doc) =>
      isKnown(doc) ? { ...doc, standing: { answer: 'differs', since: 0, difference } } : doc,
    );
    const { comparison, said } = await compare();
    expect(said).to.deep.equal([]);
    expect([...comparison.held]).to.deep.equal([['EUR', { payments: 1, amount: 500 }]]);
  });

  it('finds an attempt that only the read model believes in', async () => {
    const id = await refunded();
    await rewrite(id, (doc) =>
      isKnown(doc) ? { ...doc, attempts: doc.attempts.slice(0, -1), amountRefunded: 0 } : doc,
    );
    lines = await wholeLedger(stores.sandbox);
    expect((await compare()).said).to.deep.equal(['the refund: refund succeeded 300 EUR | nothing']);
  });

  /** Read models as they were when the payment was at a revision. */
  const stale = async (id: string, revision: number): Promise<ReadModels> => {
    const models = memoryReadModels();
    const { state } = await node.service.streams.payments.at(id, revision);
    await models.write(payments, [{ id, revision, doc: state }]);
    return models;
  };

  it('finds a payment that the read model does not have, or not wholly', async () => {
    const id = await refunded();
    expect((await compare(stores.sandbox, memoryReadModels())).said).to.deep.equal([
      'it: the log is at revision 6, the read models do not have it',
    ]);
    expect((await compare(stores.sandbox, await stale(id, 4))).said).to.deep.equal([
      'it: the log is at revision 6, the read models have only revision 4',
    ]);
  });

  it('looks a second time before it calls something a difference that was merely on its way', async () => {
    const old = await stale(await refunded(), 4);
    const { readModels } = node.service;
    let asked = 0;
    const catchingUp: ReadModels = {
      get(of, ids) {
        asked += 1;
        return (asked < 3 ? old : readModels).get(of, ids);
      },
      find: (of, query) => old.find(of, query),
      place: (of, query, nth) => old.place(of, query, nth),
      write: (of, rows) => old.write(of, rows),
      remove: (of, rows) => old.remove(of, rows),
      count: (of) => old.count(of),
      close: async () => undefined,
    };
    expect((await compare(stores.sandbox, catchingUp)).said).to.deep.equal([]);
    expect(asked).to.equal(3);
  });
});
