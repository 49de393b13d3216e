// Every row of the worked examples for PATCH /client-session, and of the table that they follow from (contract §3).
import { expect } from 'chai';
import fc from 'fast-check';
import { ClientSessionPatch } from '../../../src/commands/fields/session-fields.ts';
import { patchSession } from '../../../src/domain/client-session/decide.ts';
import { keptFields, patched, patchWarnings } from '../../../src/domain/client-session/patch.ts';
import { amountOf } from '../../../src/domain/client-session/queries.ts';
import type { SessionFields } from '../../../src/domain/client-session/recorded-fields.ts';
import { clientSession } from '../../../src/domain/client-session/state.ts';
import { sameJson } from '../../../src/domain/json.ts';
import { givenOf } from '../../support/given.ts';
import { AT, created, frozen, patchOf, sessionA } from './sessions.ts';

const given = givenOf(clientSession);
const at = AT + 1_000;

/** The session's fields after PATCHes, with the amount that an answer would show. */
function after(bodies: readonly unknown[], fields: SessionFields = sessionA): SessionFields {
  const events = [created(fields)];
  for (const body of bodies) {
    const decision = patchSession(patchOf(body), { mayCapture: true, at })(given(...events).state, events.length - 1);
    if (decision.kind === 'rejected') throw new Error(`${decision.errorId}: ${decision.description}`);
    events.push(...decision.events);
  }
  const { state } = given(...events);
  if (state.status === 'absent') throw new Error('no session');
  const amount = amountOf(state.fields);
  return { ...state.fields, ...(amount !== undefined && { amount }) };
}

const warningsOf = (body: unknown, fields: SessionFields = sessionA): readonly string[] => {
  const result = patched(fields, patchOf(body));
  if (result.kind === 'rejected') throw new Error(result.description);
  return namedIn(fields, body);
};
/** The paths that the warnings of a PATCH name. */
const namedIn = (fields: SessionFields, body: unknown): readonly string[] =>
  patchWarnings(fields, patchOf(body)).flatMap(({ paths }) => paths);

const base = { ...sessionA, amount: 650 };
const { options } = sessionA.paymentMethod ?? {};

interface Row {
  readonly name: string;
  readonly patches: readonly unknown[];
  /** Members that differ from session A; undefined: gone. */
  readonly differs: { readonly [name: string]: unknown };
  readonly warns?: readonly string[];
}

const EXAMPLES: readonly Row[] = [
  { name: 'changes nothing when nothing is sent', patches: [{}], differs: {} },
  { name: 'replaces a scalar', patches: [{ orderId: 'o-2' }], differs: { orderId: 'o-2' } },
  {
    name: 'keeps name and address when only the e-mail is sent',
    patches: [{ customer: { emailAddress: 'b@x.io' } }],
    differs: { customer: { ...sessionA.customer, emailAddress: 'b@x.io' } },
  },
  {
    name: 'replaces an address as a whole and keeps its siblings',
    patches: [{ customer: { billingAddress: { city: 'Lyon' } } }],
    differs: { customer: { firstName: 'Ada', emailAddress: 'a@x.io', billingAddress: { city: 'Lyon' } } },
  },
  {
    name: 'replaces the customer by two members, and warns of what that drops',
    patches: [{ customer: { firstName: 'Bo', lastName: 'Li' } }],
    differs: { customer: { firstName: 'Bo', lastName: 'Li' } },
    warns: ['$.customer.emailAddress', '$.customer.billingAddress'],
  },
  {
    name: 'counts a null member, which is then absent and no surprise',
    patches: [{ customer: { firstName: 'Bo', emailAddress: null } }],
    differs: { customer: { firstName: 'Bo' } },
    warns: ['$.customer.billingAddress'],
  },
  {
    name: 'clears one nested member alone',
    patches: [{ customer: { emailAddress: null } }],
    differs: { customer: { firstName: 'Ada', billingAddress: sessionA.customer?.billingAddress } },
  },
  {
    name: 'clears the customer by null without a warning',
    patches: [{ customer: null }],
    differs: { customer: undefined },
  },
  {
    name: 'clears the customer by {} and warns of its members',
    patches: [{ customer: {} }],
    differs: { customer: undefined },
    warns: ['$.customer.firstName', '$.customer.emailAddress', '$.customer.billingAddress'],
  },
  { name: 'replaces metadata as a whole', patches: [{ metadata: { c: 2 } }], differs: { metadata: { c: 2 } } },
  {
    name: 'keeps nulls and floats in metadata',
    patches: [{ metadata: { c: null, d: [1.5, { e: null }] } }],
    differs: { metadata: { c: null, d: [1.5, { e: null }] } },
  },
  {
    name: 'keeps what is empty inside metadata',
    patches: [{ metadata: { c: {}, d: [], e: '' } }],
    differs: { metadata: { c: {}, d: [], e: '' } },
  },
  { name: 'clears metadata by null', patches: [{ metadata: null }], differs: { metadata: undefined } },
  { name: 'clears metadata by {}', patches: [{ metadata: {} }], differs: { metadata: undefined } },
  {
    name: 'replaces the line items alone and calculates again',
    patches: [{ order: { lineItems: [{ itemId: 'i-2', amount: 200, quantity: 3 }] } }],
    differs: { order: { ...sessionA.order, lineItems: [{ itemId: 'i-2', amount: 200, quantity: 3 }] }, amount: 750 },
  },
  {
    name: 'replaces the order by two members',
    patches: [{ order: { countryCode: 'DE', lineItems: [{ amount: 10 }] } }],
    differs: { order: { countryCode: 'DE', lineItems: [{ amount: 10 }] }, amount: 10 },
    warns: ['$.order.fees', '$.order.shipping'],
  },
  { name: 'lets a top-level amount override', patches: [{ amount: 999 }], differs: { amount: 999 } },
  {
    name: 'brings the calculated amount back when the override is cleared',
    patches: [{ amount: 999 }, { amount: null }],
    differs: {},
  },
  {
    name: 'has no amount without an order',
    patches: [{ order: null }],
    differs: { order: undefined, amount: undefined },
  },
  {
    name: 'clears the shipping alone',
    patches: [{ order: { shipping: null } }],
    differs: {
      order: { countryCode: 'FR', lineItems: sessionA.order?.lineItems, fees: [{ amount: 100 }] },
      amount: 600,
    },
  },
  {
    name: 'clears the line items by an empty list',
    patches: [{ order: { lineItems: [] } }],
    differs: { order: { countryCode: 'FR', fees: [{ amount: 100 }], shipping: { amount: 50 } }, amount: 150 },
  },
  {
    name: 'does not warn of what was cleared on purpose',
    patches: [{ order: { lineItems: [{ itemId: 'i-1', amount: 500 }], fees: null } }],
    differs: { order: { lineItems: [{ itemId: 'i-1', amount: 500 }] }, amount: 500 },
    warns: ['$.order.countryCode', '$.order.shipping'],
  },
  {
    name: 'never converts when the currency changes',
    patches: [{ currencyCode: 'JPY' }],
    differs: { currencyCode: 'JPY' },
  },
  {
    name: 'sets vaultOnSuccess alone',
    patches: [{ paymentMethod: { vaultOnSuccess: true } }],
    differs: { paymentMethod: { ...sessionA.paymentMethod, vaultOnSuccess: true } },
  },
  {
    name: 'keeps the options when two members replace paymentMethod',
    patches: [{ paymentMethod: { vaultOnSuccess: true, paymentType: 'ECOMMERCE' } }],
    differs: { paymentMethod: { vaultOnSuccess: true, paymentType: 'ECOMMERCE', options } },
    warns: ['$.paymentMethod.descriptor'],
  },
  {
    name: 'keeps the options when paymentMethod is cleared',
    patches: [{ paymentMethod: null }],
    differs: { paymentMethod: { options } },
  },
  {
    name: 'keeps the options when paymentMethod is replaced by {}',
    patches: [{ paymentMethod: {} }],
    differs: { paymentMethod: { options } },
    warns: ['$.paymentMethod.vaultOnSuccess', '$.paymentMethod.descriptor'],
  },
  {
    name: 'does not count equal options as a member',
    patches: [{ paymentMethod: { vaultOnSuccess: true, options } }],
    differs: { paymentMethod: { vaultOnSuccess: true, descriptor: 'SHOP', options } },
  },
  { name: 'takes equal options alone for no change', patches: [{ paymentMethod: { options } }], differs: {} },
  {
    name: 'clears one member of paymentMethod beside equal options',
    patches: [{ paymentMethod: { descriptor: null, options } }],
    differs: { paymentMethod: { vaultOnSuccess: false, options } },
  },
  {
    name: 'clears every scalar by null',
    patches: [{ orderId: null, customerId: null, currencyCode: null }],
    differs: { orderId: undefined, customerId: undefined, currencyCode: undefined },
  },
  {
    name: 'sets the return URL',
    patches: [{ returnUrl: 'https://shop.example/back' }],
    differs: { returnUrl: 'https://shop.example/back' },
  },
  {
    name: 'takes a null inside a nested object for absent',
    patches: [{ customer: { billingAddress: { city: null, state: 'ARA' } } }],
    differs: { customer: { firstName: 'Ada', emailAddress: 'a@x.io', billingAddress: { state: 'ARA' } } },
  },
  {
    name: 'takes a nested object of nulls for none',
    patches: [{ customer: { billingAddress: { city: null } } }],
    differs: { customer: { firstName: 'Ada', emailAddress: 'a@x.io' } },
  },
  {
    name: 'keeps 0, false and the empty string',
    patches: [{ amount: 0, customer: { firstName: '' } }],
    differs: { amount: 0, customer: { ...sessionA.customer, firstName: '' } },
  },
];

describe('PATCH /client-session, the worked examples', () => {
  for (const { name, patches, differs, warns = [] } of EXAMPLES) {
    it(name, () => {
      const expected = Object.fromEntries(
        Object.entries({ ...base, ...differs }).filter(([, value]) => value !== undefined),
      );
      expect(after(patches)).to.deep.equal(expected);
      expect(warningsOf(patches[0])).to.have.members(warns);
    });
  }

  const UNCHANGED: readonly (readonly [string, unknown])[] = [
    ['nothing sent', {}],
    ['the same scalar', { orderId: 'o-1' }],
    [
      'the same customer in another order of keys',
      { customer: { billingAddress: { countryCode: 'FR', city: 'Paris' }, emailAddress: 'a@x.io', firstName: 'Ada' } },
    ],
    ['the same metadata in another order of keys', { metadata: { b: 'x', a: 1 } }],
    ['a null for what is not there', { returnUrl: null, amount: null, customer: { lastName: null } }],
    ['equal options alone', { paymentMethod: { options } }],
    [
      'equal options with something empty in them',
      { paymentMethod: { options: { PAYMENT_CARD: { captureVaultedCardCvv: true }, PAYPAL: {} } } },
    ],
  ];
  for (const [name, body] of UNCHANGED)
    it(`writes no event for ${name}`, () =>
      given(created())
        .when(patchSession(patchOf(body), { mayCapture: true, at }))
        .thenNothing());

  const otherOptions: readonly (readonly [string, unknown])[] = [
    ['{}', {}],
    ['null', null],
    ['another value', { PAYMENT_CARD: { captureVaultedCardCvv: false } }],
    ['one more type', { ...options, PAYPAL: { a: 1 } }],
  ];
  for (const [name, sent] of otherOptions) {
    it(`refuses ${name} for stored options`, () =>
      given(created())
        .when(patchSession(patchOf({ orderId: 'o-2', paymentMethod: { options: sent } }), { mayCapture: true, at }))
        .thenRejected('FieldNotUpdatable', {
          violations: [
            { path: '$.paymentMethod.options', description: 'Cannot be changed after the session was created.' },
          ],
        }));
  }

  it('takes null and {} for options that were never stored', () => {
    const none = created({ orderId: 'o-1' });
    given(none)
      .when(patchSession(patchOf({ paymentMethod: { options: null } }), { mayCapture: true, at }))
      .thenNothing();
    given(none)
      .when(patchSession(patchOf({ paymentMethod: { options: {} } }), { mayCapture: true, at }))
      .thenNothing();
    given(none)
      .when(patchSession(patchOf({ paymentMethod: { options: { PAYMENT_CARD: { a: 1 } } } }), { mayCapture: true, at }))
      .thenRejected('FieldNotUpdatable');
  });

  it('records results: whole top-level fields that are set, and names of those that are cleared', () =>
    given(created())
      .when(
        patchSession(patchOf({ customer: { emailAddress: 'b@x.io' }, metadata: null, orderId: 'o-1' }), {
          mayCapture: true,
          at,
        }),
      )
      .then({
        type: 'ClientSessionUpdated',
        data: { set: { customer: { ...sessionA.customer, emailAddress: 'b@x.io' } }, cleared: ['metadata'] },
      }));
});

describe('PATCH /client-session, what is refused', () => {
  const REFUSED: readonly (readonly [string, unknown, string])[] = [
    ['a fraction', { amount: 10.5 }, 'amount'],
    ['a string for an amount', { amount: '10' }, 'amount'],
    ['a negative amount', { amount: -1 }, 'amount'],
    ['an amount of 2^53', { amount: 9_007_199_254_740_992 }, 'amount'],
    ['an unknown currency', { currencyCode: 'XXQ' }, 'currencyCode'],
    ['a withdrawn currency', { currencyCode: 'HRK' }, 'currencyCode'],
    [
      'a null inside a line item',
      { order: { lineItems: [{ itemId: 'i-1', amount: null }] } },
      'order.lineItems.0.amount',
    ],
    ['a null for a line item', { order: { lineItems: [null] } }, 'order.lineItems.0'],
    [
      'a null inside product data',
      { order: { lineItems: [{ amount: 1, productData: { sku: null } }] } },
      'order.lineItems.0.productData.sku',
    ],
    [
      'a null for a network',
      { paymentMethod: { orderedAllowedCardNetworks: [null] } },
      'paymentMethod.orderedAllowedCardNetworks.0',
    ],
    [
      'a line with a negative total',
      { order: { lineItems: [{ amount: 1, quantity: 2, discountAmount: 3 }] } },
      'order.lineItems.0.discountAmount',
    ],
  ];
  for (const [name, body, path] of REFUSED) {
    it(`refuses ${name}`, () => {
      const { error } = ClientSessionPatch.safeParse(body);
      expect(error?.issues.map((issue) => issue.path.join('.'))).to.deep.equal([path]);
    });
  }

  it('refuses an unknown member, by its name', () => {
    const { error } = ClientSessionPatch.safeParse({ unknown: 1 });
    expect(error?.issues).to.have.length(1).and.to.have.nested.property('[0].keys').deep.equal(['unknown']);
  });

  it('lists every violation at once', () => {
    const { error } = ClientSessionPatch.safeParse({
      amount: 10.5,
      currencyCode: 'XXQ',
      unknown: 1,
      customer: { emailAddress: 'nobody' },
    });
    expect(error?.issues).to.have.length(4);
  });

  it('refuses a change that makes the stored order overflow, and names it', () => {
    const big = created({ order: { lineItems: [{ amount: Number.MAX_SAFE_INTEGER }] } });
    const refused = (path: string) => ({
      violations: [{ path, description: 'The total of the order must not exceed 2^53 - 1.' }],
    });
    given(big)
      .when(patchSession(patchOf({ order: { fees: [{ amount: 1 }] } }), { mayCapture: true, at }))
      .thenRejected('RequestValidationError', refused('$.order.fees'));
    given(big)
      .when(
        patchSession(
          patchOf({ order: { lineItems: [{ amount: Number.MAX_SAFE_INTEGER }], shipping: { amount: 1 } } }),
          {
            mayCapture: true,
            at,
          },
        ),
      )
      .thenRejected('RequestValidationError', refused('$.order'));
  });

  it('refuses it also while a top-level amount overrides the total, which may be cleared later', () => {
    given(created({ amount: 5, order: { lineItems: [{ amount: Number.MAX_SAFE_INTEGER }] } }))
      .when(patchSession(patchOf({ order: { fees: [{ amount: 1 }] } }), { mayCapture: true, at }))
      .thenRejected('RequestValidationError');
    given(created({ order: { lineItems: [{ amount: Number.MAX_SAFE_INTEGER }] } }))
      .when(patchSession(patchOf({ amount: 5, order: { fees: [{ amount: 1 }] } }), { mayCapture: true, at }))
      .thenRejected('RequestValidationError');
  });
});

describe('PATCH /client-session, for any patch', () => {
  const name = fc.constantFrom('', 'Ada', 'Bo');
  const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
  const record = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
    fc.record(model, { requiredKeys: [] });
  const amount = fc.integer({ min: 0, max: 1_000 });
  const anyOptions = fc.constantFrom<unknown>(options, null, {}, { PAYMENT_CARD: { x: 1 } });
  const bodies = record({
    orderId: orNull(fc.constantFrom('o-1', 'o-2')),
    amount: orNull(amount),
    metadata: orNull(fc.constantFrom({}, { a: 1 }, { a: null })),
    customer: orNull(
      record({
        firstName: orNull(name),
        lastName: orNull(name),
        billingAddress: orNull(record({ city: orNull(name) })),
      }),
    ),
    order: orNull(
      record({
        lineItems: orNull(fc.array(fc.record({ amount }), { maxLength: 2 })),
        shipping: orNull(record({ amount: orNull(amount) })),
      }),
    ),
    paymentMethod: orNull(
      record({ vaultOnSuccess: orNull(fc.boolean()), descriptor: orNull(name), options: anyOptions }),
    ),
  });
  const stored = bodies.map((body) => {
    const result = patched(
      {},
      patchOf({ ...body, paymentMethod: body.paymentMethod && { ...body.paymentMethod, options: undefined } }),
    );
    return result.kind === 'rejected'
      ? sessionA
      : frozen({ ...result.fields, paymentMethod: { ...result.fields.paymentMethod, ...(options && { options }) } });
  });

  it('changes nothing when it is sent again', () =>
    fc.assert(
      fc.property(stored, bodies, (fields, body) => {
        const once = patched(fields, patchOf(body));
        if (once.kind === 'rejected') return;
        const again = patched(once.fields, patchOf(body));
        expect(again.kind === 'patched' && sameJson(again.fields, once.fields), JSON.stringify(body)).to.equal(true);
        expect(namedIn(once.fields, body)).to.deep.equal([]);
      }),
    ));

  it('never loses or changes the options', () =>
    fc.assert(
      fc.property(stored, bodies, (fields, body) => {
        const result = patched(fields, patchOf(body));
        if (result.kind === 'patched') expect(result.fields.paymentMethod?.options).to.deep.equal(options);
        else expect(sameJson(body.paymentMethod?.options, options)).to.equal(false);
      }),
    ));

  it('leaves nothing empty behind, and no trace outside the fields that it names', () =>
    fc.assert(
      fc.property(stored, bodies, (fields, body) => {
        const result = patched(fields, patchOf(body));
        if (result.kind === 'rejected') return;
        expect(keptFields(result.fields)).to.deep.equal(result.fields);
        const untouched = (of: SessionFields) =>
          Object.fromEntries(Object.entries(of).filter(([member]) => !(member in body)));
        expect(untouched(result.fields)).to.deep.equal(untouched(fields));
      }),
    ));

  it('warns exactly of the members that are gone and were not named, when it is not null', () =>
    fc.assert(
      fc.property(stored, bodies, (fields, body) => {
        const result = patched(fields, patchOf(body));
        if (result.kind === 'rejected') return;
        const gone = (['customer', 'order', 'paymentMethod'] as const).flatMap((object) => {
          const sent: object | null | undefined = body[object];
          if (sent === null || sent === undefined) return [];
          const left: object = result.fields[object] ?? {};
          return Object.keys(fields[object] ?? {})
            .filter((member) => !(member in left) && !(member in sent))
            .map((member) => `$.${object}.${member}`);
        });
        expect(namedIn(fields, body)).to.deep.equal(gone);
      }),
    ));
});
