// The effect of a PATCH on a session's fields: the table of contract §3 (rules 3 to 8 of the specification).
import { type Rejection, reject } from '../decider.ts';
import { sameJson, withoutEmpty } from '../json.ts';
import { MAX_AMOUNT } from '../money.ts';
import { ORDER_OVERFLOW, orderAmount } from '../order-amount.ts';
import { areTooLarge, tooLarge } from './fields-json.ts';
import type {
  RecordedAddress,
  RecordedCustomer,
  RecordedOrder,
  RecordedPaymentMethod,
  RecordedShipping,
  SessionFields,
} from './recorded-fields.ts';

type Nullable<Of> = { readonly [Name in keyof Of]?: Of[Name] | null };
type CustomerPatch = Nullable<Omit<RecordedCustomer, 'billingAddress' | 'shippingAddress'>> & {
  readonly billingAddress?: Nullable<RecordedAddress> | null | undefined;
  readonly shippingAddress?: Nullable<RecordedAddress> | null | undefined;
};
type OrderPatch = Nullable<Omit<RecordedOrder, 'shipping'>> & {
  readonly shipping?: Nullable<RecordedShipping> | null | undefined;
};

/** The members of a PATCH: null clears, except inside an element of an array. */
export type SessionPatch = Nullable<Omit<SessionFields, 'customer' | 'order' | 'paymentMethod'>> & {
  readonly customer?: CustomerPatch | null | undefined;
  readonly order?: OrderPatch | null | undefined;
  readonly paymentMethod?: Nullable<RecordedPaymentMethod> | null | undefined;
};

/** Members that were dropped with a replaced object although the call did not name them. */
export interface Warning {
  readonly code: 'FIELDS_OVERWRITTEN';
  readonly paths: readonly string[];
}

interface Patched {
  readonly kind: 'patched';
  readonly fields: SessionFields;
}

type Members = { readonly [name: string]: unknown };

/**
 * Narrows merged members to fields. Every member was validated on its way in, and merging moves members about without
 * changing them; TypeScript cannot follow them through a loop over names. Throws TypeError for a null that is left
 * over, which would be a fault of the merge.
 */
export function assertFields(members: Members): asserts members is SessionFields {
  if (Object.values(members).includes(null)) throw new TypeError('a null is left in the fields of a session');
}

/** Fields as a session keeps them: null, {} and [] are absent, metadata is word for word. */
export function keptFields({ metadata, ...others }: SessionFields): SessionFields {
  const kept = withoutEmpty(others) ?? {};
  const hasMetadata = metadata !== undefined && Object.keys(metadata).length > 0;
  const fields = { ...kept, ...(hasMetadata && { metadata }) };
  assertFields(fields);
  return fields;
}

function namesIn(members: Members): readonly string[] {
  const names: string[] = [];
  for (const name of Object.keys(members)) if (members[name] !== undefined) names.push(name);
  return names;
}

/** null clears; one member is set alone (its siblings stay); two or more, or none, replace the whole. */
function merged(stored: Members | undefined, sent: Members | null): Members | undefined {
  if (sent === null) return undefined;
  const names = namesIn(sent);
  const after: Record<string, unknown> = names.length === 1 ? { ...stored } : {};
  for (const name of names) {
    const value = withoutEmpty(sent[name]);
    if (value === undefined) delete after[name];
    else after[name] = value;
  }
  return Object.keys(after).length === 0 ? undefined : after;
}

/** Members that the call did not name and replacing the whole object drops. */
function dropped(path: string, stored: Members | undefined, sent: Members | null | undefined): readonly string[] {
  if (stored === undefined || sent === null || sent === undefined) return [];
  const named = namesIn(sent);
  if (named.length === 1) return [];
  return namesIn(stored)
    .filter((name) => !named.includes(name))
    .map((name) => `${path}.${name}`);
}

type PaymentMethodPatch = NonNullable<SessionPatch['paymentMethod']>;

const withoutOptions = ({ options, ...rest }: PaymentMethodPatch): Members => rest;

/**
 * Merges `paymentMethod` by the same rule, without `options`: they do not count as a member, and the stored ones always
 * stay.
 */
function mergedPaymentMethod(
  stored: SessionFields['paymentMethod'],
  sent: PaymentMethodPatch | null,
): Members | undefined {
  const { options, ...rest } = stored ?? {};
  const named = sent === null ? null : withoutOptions(sent);
  const optionsAlone = sent?.options !== undefined && named !== null && namesIn(named).length === 0;
  const members = optionsAlone ? rest : merged(rest, named);
  const kept = { ...members, ...(options !== undefined && { options }) };
  return namesIn(kept).length === 0 ? undefined : kept;
}

/** Absent, null and {} are the same, at every depth, because an echo shows them all the same. */
const changesOptions = ({ paymentMethod: stored }: SessionFields, sent: SessionPatch['paymentMethod']): boolean =>
  sent?.options !== undefined && !sameJson(withoutEmpty(sent.options), withoutEmpty(stored?.options ?? null));

/**
 * Members of customer, order and paymentMethod that `{}` or two or more members drop; [] when none are
 * (contract §3: never for null, metadata or anything deeper).
 */
export function patchWarnings(
  fields: SessionFields,
  { customer, order, paymentMethod }: SessionPatch,
): readonly Warning[] {
  const { options, ...storedMethod } = fields.paymentMethod ?? {};
  const methodAlone = paymentMethod?.options !== undefined && namesIn(paymentMethod).length === 1;
  const paths = [
    ...dropped('$.customer', fields.customer, customer),
    ...dropped('$.order', fields.order, order),
    ...(methodAlone || !paymentMethod ? [] : dropped('$.paymentMethod', storedMethod, withoutOptions(paymentMethod))),
  ];
  return paths.length === 0 ? [] : [{ code: 'FIELDS_OVERWRITTEN', paths }];
}

/**
 * The fields after a PATCH; `fields` are kept fields (keptFields). Rejections: FieldNotUpdatable for other options,
 * RequestValidationError when the order's new total overflows, or the fields are too large.
 */
export function patched(fields: SessionFields, patch: SessionPatch): Patched | Rejection {
  if (changesOptions(fields, patch.paymentMethod)) {
    const violations = [
      { path: '$.paymentMethod.options', description: 'Cannot be changed after the session was created.' },
    ];
    return reject('FieldNotUpdatable', 'paymentMethod.options cannot be updated.', { violations });
  }
  const { metadata, customer, order, paymentMethod, ...scalars } = patch;
  const set: Record<string, unknown> = { ...scalars };
  if (metadata !== undefined)
    set['metadata'] = metadata === null || Object.keys(metadata).length === 0 ? null : metadata;
  if (customer !== undefined) set['customer'] = merged(fields.customer, customer) ?? null;
  if (order !== undefined) set['order'] = merged(fields.order, order) ?? null;
  if (paymentMethod !== undefined)
    set['paymentMethod'] = mergedPaymentMethod(fields.paymentMethod, paymentMethod) ?? null;
  const after: Record<string, unknown> = { ...fields };
  for (const [name, value] of Object.entries(set)) {
    if (value === null) delete after[name];
    else if (value !== undefined) after[name] = value;
  }
  assertFields(after);
  if (order && (orderAmount(after.order) ?? 0) > MAX_AMOUNT) return overflow(order);
  return areTooLarge(after) ? tooLarge('client session') : { kind: 'patched', fields: after };
}

function overflow(order: Members): Rejection {
  const [name, ...others] = namesIn(order);
  const path = name === undefined || others.length > 0 ? '$.order' : `$.order.${name}`;
  return reject('RequestValidationError', 'The request is not valid.', {
    violations: [{ path, description: ORDER_OVERFLOW }],
  });
}
