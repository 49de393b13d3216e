// The places of all requests where a card number is looked for, by their schemas: at the end of the longest text that
// each of them may hold (contract §7).
import { expect } from 'chai';
import { z } from 'zod';
import { bodyFaults } from '../../src/http/middleware/body.ts';
import type { Route } from '../../src/http/route.ts';
import { allRoutes, dashboardRoutes, managementRoutes } from '../../src/http/routes/all.ts';
import { FaultPlan, FaultReport } from '../../src/processors/sandbox/fault-plan.ts';

/** Contract §7, and texts that this service made. */
const UNSEARCHED = [
  ...['orderId', 'order.lineItems.*.itemId', 'order.lineItems.*.productData.sku', 'method.iban'],
  ...['order.lineItems.*.productData.globalTradeItemNumber', 'order.lineItems.*.productData.manufacturerPartNumber'],
  ...['clientToken', 'paymentMethodToken', 'resumeToken', 'transactionEventId', 'welcomeToken'],
  ...['password', 'newPassword'],
];
/** Names for the members of a record: of whatever its author likes. */
const OWN_NAMES = ['any', 'sku', 'iban', 'password', 'orderId'];
/** Of members without a limit of their own: as many of four bytes as the largest body holds. */
const MOST_CHARACTERS = 60_000;
const CARD = ' 4242 4242 4242 4242';

const SHAPES: object = { faultPlan: FaultPlan, faultReport: FaultReport };
/** Stands in for all parts of the service: no handler is asked. */
const PARTS: object = new Proxy(() => PARTS, { get: (_, name) => Reflect.get(SHAPES, name) ?? PARTS });

interface Place {
  readonly path: readonly string[];
  readonly characters: number;
}
type Schema = z.core.JSONSchema.BaseSchema;

/** Every place of a text in a body. A list has its first item alone. */
function* placesIn(schema: Schema, root: Schema, path: readonly string[] = []): Generator<Place> {
  const { $ref, properties, additionalProperties, propertyNames, items, anyOf, oneOf, allOf, type } = schema;
  const inside = [...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? [])];
  for (const one of inside) yield* placesOf(one, root, path);
  if ($ref !== undefined) yield* placesOf(root.$defs?.[$ref.split('/').at(-1) ?? ''], root, path);
  for (const [name, member] of Object.entries(properties ?? {})) yield* placesOf(member, root, [...path, name]);
  if (propertyNames !== undefined)
    for (const name of OWN_NAMES) yield* placesOf(additionalProperties, root, [...path, name]);
  if (items !== undefined && !Array.isArray(items)) yield* placesOf(items, root, [...path, '*']);
  const isText = type === 'string' && schema.enum === undefined && schema.const === undefined;
  const isAnything = type === undefined && inside.length === 0 && $ref === undefined;
  if (isText || isAnything)
    yield { path, characters: Math.min(Number(schema.maxLength ?? MOST_CHARACTERS), MOST_CHARACTERS) };
}
const placesOf = (schema: Schema | boolean | undefined, root: Schema, path: readonly string[]): Iterable<Place> =>
  typeof schema === 'object' && path.length < 12 ? placesIn(schema, root, path) : [];

const holding = ([step, ...rest]: readonly string[], text: string): unknown => {
  if (step === undefined) return text;
  return step === '*' ? [holding(rest, text)] : { [step]: holding(rest, text) };
};

describe('a card number at the end of the longest text', () => {
  const routes: readonly Route[] = [allRoutes, dashboardRoutes, managementRoutes].flatMap((made) =>
    Reflect.apply(made, undefined, [PARTS]),
  );
  for (const { method, path: at, description, cardAt } of routes) {
    const body: unknown = description.request.shape['body'];
    if (!(body instanceof z.ZodType)) continue;

    it(`${method} ${at} refuses it in each of its texts`, () => {
      const root = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
      const missed: string[] = [];
      for (const { path, characters } of placesIn(root, root)) {
        const value = holding(path, `${'😀'.repeat(Math.max(0, characters - CARD.length))}${CARD}`);
        if (bodyFaults({ text: JSON.stringify(value), value }, cardAt).length === 0) missed.push(path.join('.'));
      }
      expect(missed.filter((path) => path !== cardAt && !UNSEARCHED.includes(path))).to.deep.equal([]);
    });
  }
});
