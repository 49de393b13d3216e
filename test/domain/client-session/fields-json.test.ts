// JSON of a session whose order is long: to the character as JSON.stringify writes it, though the order is written once.
import { expect } from 'chai';
import fc from 'fast-check';
import { jsonOf } from '../../../src/domain/client-session/fields-json.ts';
import type { SessionFields } from '../../../src/domain/client-session/recorded-fields.ts';
import { copyOf } from '../../../src/projections/engine/generations/copy.ts';
import { clientSessions } from '../../../src/projections/models/client-sessions.ts';
import { AT, expiry, frozen, sessionA } from './sessions.ts';

const line = fc.record({ itemId: fc.string(), name: fc.string({ unit: 'binary' }), amount: fc.nat() });
const order = fc.record(
  { lineItems: fc.array(line, { maxLength: 30, size: 'max' }), countryCode: fc.constantFrom('', 'FR') },
  { requiredKeys: ['lineItems'] },
);
/** Members after the order, and before it. */
const fields = fc
  .record({ orderId: fc.string(), order, metadata: fc.dictionary(fc.string(), fc.jsonValue()) }, { requiredKeys: ['order'] })
  .map((made): SessionFields => frozen(made));

const many = { countryCode: 'FR', lineItems: Array.from({ length: 50 }, () => ({ itemId: 'shirt', amount: 2_500 })) };
const inMetadata = { x: { countryCode: '' } };

const alone = (of: SessionFields): string => jsonOf(of, of, (changed) => changed);

describe('JSON of a session', () => {
  it('is as JSON.stringify writes it, also after changes beside the order', () =>
    fc.assert(
      fc.property(fields, fc.array(fc.string()), (made, orderIds) => {
        for (const changed of [made, ...orderIds.map((orderId) => ({ ...made, orderId }))]) {
          expect(alone(changed)).to.equal(JSON.stringify(changed));
          const holder = { before: 'it', held: changed, after: [] };
          expect(jsonOf(holder, changed, (held) => ({ ...holder, held }))).to.equal(JSON.stringify(holder));
        }
      }),
    ));

  it('is of the new order after a change of the order', () => {
    const before = { ...sessionA, order: many };
    const after = { ...before, order: { ...many, lineItems: [...many.lineItems, { amount: 1 }] } };
    expect([before, after, before].map(alone)).to.deep.equal([before, after, before].map((one) => JSON.stringify(one)));
  });

  for (const [where, held] of [
    ['before', { metadata: inMetadata, order: many }],
    ['after', { order: many, metadata: inMetadata }],
  ] as const)
    it(`is whole where metadata ${where} the order look like what stands for it`, () => expect(alone(held)).to.equal(JSON.stringify(held)));

  it('writes a long order once', () => {
    let written = 0;
    const counting = { toJSON: () => ++written };
    const counted = { ...sessionA, order: { ...many, ...counting } };
    for (const orderId of ['o-1', 'o-2', 'o-3']) alone({ ...counted, orderId });
    expect(written).to.equal(1);
  });

  it('is the document’s text in each generation of the read model', () => {
    const session = { status: 'open', accountId: 'acc_1', fields: { ...sessionA, order: many }, createdAt: AT, ...expiry(AT) } as const;
    const documents = [{ status: 'absent' }, { ...session, tokenIssuedAt: AT }] as const;
    const { text } = copyOf(clientSessions, 2);
    for (const document of documents) expect(text?.(document)).to.equal(JSON.stringify(document));
  });
});
