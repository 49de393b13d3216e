// The service's responses as the frame uses them (contract §3). Missing or new fields do no harm.

import { isNetwork, type Network } from '../card/networks.ts';
import { isMethod, type MethodName } from '../methods.ts';

/** A step that the shopper has to take before the payment goes on. */
interface RequiredAction {
  readonly name: string;
  /** The URL of the page, or undefined if the step is of another kind. */
  readonly url: string | undefined;
  /** The numbers to pay with, or undefined if the step is of another kind. */
  readonly voucher: Voucher | undefined;
}

export interface Voucher {
  readonly entity: string;
  readonly reference: string;
  /** By the browser's clock, in ms. */
  readonly expiresAt: number;
}

export interface Payment {
  readonly id: string;
  /** An open enumeration (contract §4). */
  readonly status: string;
  readonly amount: number;
  readonly currencyCode: string;
  /** Undefined for a method that this version does not know. */
  readonly method: MethodName | undefined;
  readonly reasonCode: string | undefined;
  /** Undefined for a decline, which has a code. */
  readonly reasonType: string | undefined;
  readonly requiredAction: RequiredAction | undefined;
}

export interface SavedCard {
  readonly token: string;
  readonly network: Network;
  readonly lastFour: string;
  readonly month: string;
  readonly year: string;
  readonly isDefault: boolean;
}

/** A bank account with a mandate of the customer. */
export interface SavedAccount {
  readonly token: string;
  readonly lastFour: string;
  readonly isDefault: boolean;
}

export interface Line {
  /** The name of the item, or undefined for shipping or a fee, which `kind` names. */
  readonly name: string | undefined;
  readonly kind: 'item' | 'shipping' | 'fee';
  readonly quantity: number;
  /** The amount of the whole line, in minor units. */
  readonly amount: number;
}

/** A processor's own fields, which take some methods in place of ours. */
export interface OwnFields {
  readonly connectionId: string;
  readonly processor: string;
  readonly publishableKey: string;
  /** The address of the processor's script. */
  readonly script: string;
  /** What they take. */
  readonly methods: readonly MethodName[];
}

/** What the payment method is charged for later, in one language. */
export interface AgreementText {
  readonly language: string;
  readonly text: string;
  readonly textDigest: string;
}

export interface Session {
  readonly amount: number | undefined;
  readonly currencyCode: string | undefined;
  /** The missing fields for which a payment would be refused. */
  readonly lacks: readonly string[];
  /** In the session's order; those that this version knows. */
  readonly methods: readonly MethodName[];
  /** Whatever none of them takes is entered in the frame itself. */
  readonly fields: readonly OwnFields[];
  readonly lines: readonly Line[];
  readonly networks: readonly Network[];
  readonly savedCards: readonly SavedCard[];
  readonly savedAccounts: readonly SavedAccount[];
  /** The initial state of the box "save this card", or undefined if the session has no customer. */
  readonly savesCard: boolean | undefined;
  /** Its text is agreed to before the payment; undefined if nothing is charged later. */
  readonly agreement: { readonly isAgreed: boolean; readonly texts: readonly AgreementText[] } | undefined;
  readonly payment: Payment | undefined;
  /** How far the service's clock is ahead of the browser's, in ms. Test mode may be days ahead. */
  readonly aheadMs: number;
}

/** Any JSON object. A missing field is undefined. */
interface Members {
  readonly [name: string]: unknown;
}
const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const membersOf = (value: unknown): Members => (isMembers(value) ? value : {});
const listOf = (value: unknown): readonly Members[] => (Array.isArray(value) ? value.map(membersOf) : []);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** The payment, or undefined for a body of another kind. `aheadMs`: as the session has it. */
export function paymentIn(body: unknown, aheadMs: number): Payment | undefined {
  const { id, status, amount, currencyCode, paymentMethodType, statusReason, requiredAction } = membersOf(body);
  const { code, type } = membersOf(statusReason);
  if (
    typeof id !== 'string' ||
    typeof status !== 'string' ||
    typeof amount !== 'number' ||
    typeof currencyCode !== 'string'
  )
    return undefined;
  return {
    id,
    status,
    amount,
    currencyCode,
    method: isMethod(paymentMethodType) ? paymentMethodType : undefined,
    reasonCode: textOf(code),
    reasonType: textOf(type),
    requiredAction: isMembers(requiredAction) ? actionIn(requiredAction, aheadMs) : undefined,
  };
}

const actionIn = ({ name, url, data, expiresAt }: Members, aheadMs: number): RequiredAction => ({
  name: textOf(name) ?? 'UNKNOWN',
  url: textOf(url),
  voucher: voucherIn(membersOf(data), Date.parse(textOf(expiresAt) ?? '') - aheadMs),
});

const voucherIn = ({ entity, reference }: Members, expiresAt: number): Voucher | undefined =>
  typeof entity === 'string' && typeof reference === 'string' && !Number.isNaN(expiresAt)
    ? { entity, reference, expiresAt }
    : undefined;

export function sessionIn(body: unknown): Session {
  const members = membersOf(body);
  const {
    amount,
    currencyCode,
    fields,
    lacks,
    lineItems,
    fees,
    shipping,
    paymentMethods,
    paymentInstruments,
    vaultOnSuccess,
    agreement,
    payment,
    now,
  } = members;
  const offered = listOf(paymentMethods);
  const card = offered.find(({ paymentMethodType }) => paymentMethodType === 'PAYMENT_CARD');
  const networks = card?.['cardNetworks'];
  const ownFields = listOf(fields).map(fieldsIn);
  const browsersNow = Date.now();
  const aheadMs = (typeof now === 'string' ? Date.parse(now) : browsersNow) - browsersNow;
  return {
    amount: numberOf(amount),
    currencyCode: textOf(currencyCode),
    lacks: Array.isArray(lacks) ? lacks.filter((one) => typeof one === 'string') : [],
    methods: offered.map(({ paymentMethodType }) => paymentMethodType).filter(isMethod),
    fields: ownFields,
    lines: [...listOf(lineItems).map(itemLine), ...feeLines(listOf(fees)), ...shippingLines(membersOf(shipping))],
    networks: Array.isArray(networks) ? networks.filter(isNetwork) : [],
    savedCards: listOf(paymentInstruments).flatMap(savedCard),
    savedAccounts: listOf(paymentInstruments).flatMap(savedAccount),
    savesCard: typeof vaultOnSuccess === 'boolean' ? vaultOnSuccess : undefined,
    agreement: isMembers(agreement) ? agreementIn(agreement) : undefined,
    payment: paymentIn(payment, aheadMs),
    aheadMs,
  };
}

const agreementIn = ({ isAgreed, texts }: Members): NonNullable<Session['agreement']> => ({
  isAgreed: isAgreed === true,
  texts: listOf(texts).map(({ language, text, textDigest }) => ({
    language: textOf(language) ?? '',
    text: textOf(text) ?? '',
    textDigest: textOf(textDigest) ?? '',
  })),
});

/** True if the payment method is kept, or the box that keeps it is ticked at first. */
export const keepsMethod = ({ agreement, savesCard }: Session): boolean =>
  agreement !== undefined || savesCard === true;

/** The fields that take the method, or undefined if it is entered in the frame. */
export const fieldsFor = ({ fields }: Session, method: MethodName): OwnFields | undefined =>
  fields.find(({ methods }) => methods.includes(method));

const fieldsIn = ({ connectionId, processor, publishableKey, script, methods }: Members): OwnFields => ({
  connectionId: textOf(connectionId) ?? '',
  processor: textOf(processor) ?? '',
  publishableKey: textOf(publishableKey) ?? '',
  script: textOf(script) ?? '',
  methods: Array.isArray(methods) ? methods.filter(isMethod) : [],
});

/** Line: amount × quantity − discountAmount + taxAmount (contract §3). */
function itemLine({ name, description, itemId, amount, quantity, discountAmount, taxAmount }: Members): Line {
  const count = numberOf(quantity) ?? 1;
  const total = (numberOf(amount) ?? 0) * count - (numberOf(discountAmount) ?? 0) + (numberOf(taxAmount) ?? 0);
  return { kind: 'item', name: textOf(name) ?? textOf(description) ?? textOf(itemId), quantity: count, amount: total };
}

const feeLines = (fees: readonly Members[]): readonly Line[] =>
  fees.map(({ amount, description }) => ({
    kind: 'fee',
    name: textOf(description),
    quantity: 1,
    amount: numberOf(amount) ?? 0,
  }));

const shippingLines = ({ amount, methodName }: Members): readonly Line[] =>
  typeof amount === 'number' ? [{ kind: 'shipping', name: textOf(methodName), quantity: 1, amount }] : [];

function savedAccount({
  token,
  paymentMethodType,
  paymentMethodData,
  default: isDefault,
}: Members): readonly SavedAccount[] {
  const { ibanLast4 } = membersOf(paymentMethodData);
  if (typeof token !== 'string' || paymentMethodType !== 'SEPA_DEBIT') return [];
  return [{ token, lastFour: textOf(ibanLast4) ?? '', isDefault: isDefault === true }];
}

/** None for a saved bank account. */
function savedCard({ token, paymentMethodType, paymentMethodData, default: isDefault }: Members): readonly SavedCard[] {
  const { network, last4Digits, expirationMonth, expirationYear } = membersOf(paymentMethodData);
  if (typeof token !== 'string' || paymentMethodType !== 'PAYMENT_CARD') return [];
  return [
    {
      token,
      network: isNetwork(network) ? network : 'OTHER',
      lastFour: textOf(last4Digits) ?? '',
      month: textOf(expirationMonth) ?? '',
      year: textOf(expirationYear) ?? '',
      isDefault: isDefault === true,
    },
  ];
}

/** The body of a refusal (contract §7). */
export interface Refused {
  readonly kind: 'refused';
  readonly status: number;
  readonly errorId: string;
  readonly paymentId: string | undefined;
  /** The amount of the session as it is now, if it differs from the amount shown. */
  readonly amount: number | undefined;
  readonly currencyCode: string | undefined;
  /** Paths of invalid fields: `$.card.number`. */
  readonly paths: readonly string[];
  readonly retryAfterMs: number | undefined;
}

/** True if the response says nothing about the request, because the service failed or received too many calls. */
export const isOutage = ({ status }: Refused): boolean => status >= 500 || status === 429;

export function refusalIn(status: number, body: unknown, retryAfter: string | null): Refused {
  const { errorId, paymentId, amount, currencyCode, validationErrors } = membersOf(membersOf(body)['error']);
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  return {
    kind: 'refused',
    status,
    errorId: textOf(errorId) ?? '',
    paymentId: textOf(paymentId),
    amount: numberOf(amount),
    currencyCode: textOf(currencyCode),
    paths: listOf(validationErrors).flatMap(({ errors }) => listOf(errors).map(({ path }) => textOf(path) ?? '')),
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : undefined,
  };
}
