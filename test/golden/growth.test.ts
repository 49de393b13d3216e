// Members that come without a new version of their event (contract §11): this version, as the older node that does not
// know them, does no harm.
import { expect } from 'chai';
import { z } from 'zod';
import { patchSession } from '../../src/domain/client-session/decide.ts';
import type { ClientSessionEvent } from '../../src/domain/client-session/events.ts';
import { keptFields } from '../../src/domain/client-session/patch.ts';
import { clientSession } from '../../src/domain/client-session/state.ts';
import { growing, nameIn } from '../../src/domain/growing.ts';
import { PaymentMethodType } from '../../src/domain/payment-method.ts';
import { FOLDS } from '../../src/queries/replay-stream.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { categoryOf } from '../../src/stores/stream-name.ts';
import { givenOf } from '../support/given.ts';
import { unrecorded, unversioned } from './compare.ts';
import { beganWith, type Digests, rowsOfAll, statesOf, versionedSchema } from './digests.ts';
import { goldenEvents, readGoldenLog } from './golden-log.ts';

const LATER = 'cameLater';

describe('a member that an event carries', () => {
  const began = { firstName: z.string(), amount: z.number() };
  const sealed = (schema: z.ZodType) =>
    versionedSchema(z.strictObject({ customer: schema, cleared: z.array(z.string()) }));

  it('leaves the schema of its version as it is, and is told beside it', () => {
    const grown = sealed(growing(began, { loyaltyNumber: z.string() }).partial());
    expect(grown.digest).to.equal(sealed(z.strictObject(began).partial()).digest);
    expect(Object.keys(grown.carried ?? {})).to.deep.equal(['properties.customer.loyaltyNumber']);
    const names = (of: z.ZodObject) => versionedSchema(z.strictObject({ cleared: z.array(nameIn(of)) })).digest;
    expect(names(growing(began, { loyaltyNumber: z.string() }).partial())).to.equal(names(growing(began).partial()));
  });

  it('can be left out, sent, and cleared by its name', () => {
    const of = growing(began, { loyaltyNumber: z.string() }).partial();
    for (const value of [{ firstName: 'Ada' }, { loyaltyNumber: '7' }]) expect(of.parse(value)).to.deep.equal(value);
    expect(of.safeParse({ loyaltyNumber: 7 }).success).to.equal(false);
    expect(nameIn(of).options).to.deep.equal(['firstName', 'amount', 'loyaltyNumber']);
  });

  it('is in no type, so that a decision by it does not compile', () => {
    const customer = growing(began, { loyaltyNumber: z.string() }).parse({
      firstName: 'Ada',
      amount: 1,
      loyaltyNumber: '7',
    });
    // @ts-expect-error nothing is decided by a carried member
    expect(customer.loyaltyNumber).to.equal('7');
  });

  const digests = (schema: z.ZodObject): Digests => ({
    events: { 'a B': { version: 1, ...versionedSchema(schema) } },
    folds: {},
    readModels: {},
  });
  const before = digests(growing(began, { note: z.string() }));

  it('is accepted automatically', () => {
    const now = digests(growing(began, { note: z.string(), loyaltyNumber: z.string() }));
    expect([...unversioned(before, now), ...unrecorded(before, now)]).to.deep.equal([]);
  });

  const REFUSED: { readonly [name: string]: z.ZodObject } = {
    'a decision begins to depend on it': growing({ ...began, note: z.string().optional() }),
    'a decided member comes, however optional': growing(
      { ...began, more: z.string().optional() },
      { note: z.string() },
    ),
    'a decided member is carried from now on': growing(
      { amount: began.amount },
      { firstName: z.string(), note: z.string() },
    ),
    'it has another type': growing(began, { note: z.number() }),
    'it is gone': growing(began),
  };
  for (const [name, schema] of Object.entries(REFUSED))
    it(`needs a version where ${name}`, () => {
      const [told = ''] = unversioned(before, digests(schema));
      expect(told).to.contain('add an upcaster from version 1');
      expect(
        unversioned(before, { ...digests(schema), events: { 'a B': { version: 2, ...versionedSchema(schema) } } }),
      ).to.deep.equal([]);
    });
});

describe('an enumeration that only grows', () => {
  it('is in its schemas as it began, and differs where a value is gone', () => {
    const { options } = PaymentMethodType;
    expect(beganWith(PaymentMethodType, [...options, 'EPS'])).to.deep.equal(beganWith(PaymentMethodType, options));
    expect(beganWith(PaymentMethodType, options.slice(1))).to.equal(undefined);
    expect(beganWith(z.enum(options), options)).to.equal(undefined);
  });
});

describe('an older node', () => {
  let events: readonly StoredEvent[];
  let grown: readonly StoredEvent[];
  let places = 0;
  before(async () => {
    events = goldenEvents(await readGoldenLog());
    grown = events.map((stored) => {
      const schema = FOLDS.get(categoryOf(stored.stream))?.category.data.get(stored.type);
      return schema === undefined
        ? stored
        : { ...stored, data: JSON.stringify(withLater(schema, JSON.parse(stored.data))) };
    });
  });

  /** The value with a member that nobody knows in each object that may grow. */
  function withLater(schema: unknown, value: unknown): unknown {
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return withLater(schema.unwrap(), value);
    if (schema instanceof z.ZodArray)
      return Array.isArray(value) ? value.map((item) => withLater(schema.element, item)) : value;
    if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
    const inside = Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, withLater(schema.shape[name], member)]),
    );
    if (!(schema.def.catchall instanceof z.ZodUnknown)) return inside;
    places += 1;
    return { ...inside, [LATER]: { deep: [1] } };
  }
  const withoutLater = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withoutLater);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) => (name === LATER ? [] : [[name, withoutLater(member)]])),
    );
  };
  const plain = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? String(member) : member)));

  it('folds every event as before, and keeps what it does not know', () => {
    const [states, more] = [plain(statesOf(events)), plain(statesOf(grown))];
    expect(places).to.be.above(10);
    expect(JSON.stringify(more)).to.contain(LATER);
    expect(withoutLater(more)).to.deep.equal(states);
  });

  it('has the same documents under the same keys in every read model', () => {
    expect(withoutLater(plain(rowsOfAll(grown)))).to.deep.equal(plain(rowsOfAll(events)));
  });

  describe('changes a session', () => {
    const fields = {
      orderId: 'o-1',
      customer: { firstName: 'Ada', billingAddress: { city: 'Paris', [LATER]: 1 }, [LATER]: 2 },
      order: {
        lineItems: [{ amount: 5, productData: { sku: 's', [LATER]: 3 }, [LATER]: 4 }],
        fees: [{ amount: 1, [LATER]: 5 }],
        [LATER]: 6,
      },
      [LATER]: 7,
    };
    const created: ClientSessionEvent = {
      type: 'ClientSessionCreated',
      data: { accountId: 'acc_1', createdAt: 0, tokenExpiresAt: 1, sessionExpiresAt: 2, fields: keptFields(fields) },
    };
    const patch = (sent: Parameters<typeof patchSession>[0]) =>
      givenOf(clientSession)(created).when(patchSession(sent, { at: 0, mayCapture: true }));

    it('and keeps the unknown members beside the one that it sets, on record too', () => {
      const { customer, order } = fields;
      for (const [sent, set] of [
        [{ customer: { lastName: 'L' } }, { customer: { ...customer, lastName: 'L' } }],
        [{ order: { countryCode: 'FR' } }, { order: { ...order, countryCode: 'FR' } }],
      ] as const) {
        patch(sent).then({ type: 'ClientSessionUpdated', data: { set, cleared: [] } });
      }
    });

    it('and leaves the unknown fields of the session alone', () => {
      patch({ orderId: 'o-2' }).then({ type: 'ClientSessionUpdated', data: { set: { orderId: 'o-2' }, cleared: [] } });
    });
  });
});
