// A merchant's backend and its customers' browsers: the calls that lead a test to the state that it is about.
import { z } from 'zod';
import { SCOPES, type Scope } from '../../src/domain/scopes.ts';
import type { Service } from '../../src/service.ts';
import type { Answer, Ask, Request } from './http-request.ts';
import { card } from './node.ts';

/** The sandbox's cards that tests pay with (contract §10). */
export const CARDS = {
  approved: '4242424242424242',
  otherApproved: '5555555555554444',
  declined: '4000000000000002',
  challenged: '4000000000003220',
  challengedThenDeclined: '4000008400001629',
  frictionless: '4000009900005029',
  demandsAuthentication: '4000009900005011',
  demandsAuthenticationThenLate: '4000009900002042',
  unknown: '4000009900001077',
  /** The call is never answered, and the processor never saw it. */
  lost: '4000009900001051',
  notSent: '4000009900001085',
  /** The processor never notifies of it, so that no event of it falls between those of another request. */
  pendingForEver: '4000009900001036',
  captureLater: '4000009900003040',
  secondCaptureDeclined: '4000009900003024',
  refundDeclined: '4000009900004014',
  refundLater: '4000009900004055',
  refundFailsAfterDays: '4000009900004022',
} as const;

export interface Key {
  readonly keyId: string;
  readonly key: string;
}

export interface Payment {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly paymentMethodToken: string;
}

export interface Paying {
  /** Fields of the session, which override an order of 1000 EUR. */
  readonly session?: object;
  readonly card?: string;
  /** Members of POST /payments besides the two tokens. */
  readonly fields?: object;
}

export interface Merchant extends Key {
  readonly accountId: string;
  /** The key that has this scope and no other; always the same one. */
  readonly keyFor: (scope: Scope) => Promise<Key>;
  readonly newKey: (scopes: readonly Scope[], expiresInMs?: number) => Promise<Key>;
  /** Sends a request with the key that has all scopes. */
  readonly ask: (method: string, path: string, body?: unknown, headers?: Ask['headers']) => Promise<Answer>;
  /** The client token of a new session. */
  readonly session: (fields?: object) => Promise<string>;
  /** A single-use token, made in a session. */
  readonly tokenize: (clientToken: string, number?: string) => Promise<string>;
  /** A token, vaulted for a customer. */
  readonly vaulted: (customerId: string, number?: string) => Promise<string>;
  /** The answer of POST /payments. */
  readonly pay: (paying?: Paying) => Promise<Answer>;
  /** A payment from that answer; throws when it was refused. */
  readonly paid: (paying?: Paying) => Promise<Payment>;
  /** A captured payment. */
  readonly captured: (paying?: Paying) => Promise<Payment>;
}

export const SessionBody = z.looseObject({ clientToken: z.string(), clientTokenExpirationDate: z.string() });
const TokenBody = z.looseObject({ token: z.string() });
const PaymentBody = z.looseObject({
  id: z.string(),
  status: z.string(),
  version: z.number(),
  paymentMethod: z.looseObject({ paymentMethodToken: z.string() }),
});

/** The body of a success, parsed by a schema. Throws with the whole answer when it is not one. */
export function bodyOf<Body>(answer: Answer, schema: z.ZodType<Body>): Body {
  const parsed = schema.safeParse(answer.body);
  if (answer.error !== undefined || !parsed.success)
    throw new Error(`unexpected answer: ${answer.status} ${answer.text}`);
  return parsed.data;
}

export function paymentOf(answer: Answer): Payment {
  const { id, status, version, paymentMethod } = bodyOf(answer, PaymentBody);
  return { id, status, version, paymentMethodToken: paymentMethod.paymentMethodToken };
}

const ORDER = { orderId: 'o-1', currencyCode: 'EUR', amount: 1000 };

export async function openMerchant(name: string, service: Service, request: Request): Promise<Merchant> {
  const made = await service.access.createAccount(name);
  if (made.kind === 'rejected') throw new Error(made.description);
  const accountId = made.id;
  const newKey: Merchant['newKey'] = async (scopes, expiresInMs) => {
    const key = await service.access.createApiKey({
      accountId,
      name: 'test',
      scopes,
      ...(expiresInMs !== undefined && { expiresInMs }),
    });
    if (key.kind === 'rejected') throw new Error(key.description);
    return { keyId: key.id, key: key.key };
  };
  const all = await newKey(SCOPES);
  const keys = new Map<Scope, Promise<Key>>();
  const ask: Merchant['ask'] = (method, path, body, headers) =>
    request(method, path, {
      key: all.key,
      ...(body !== undefined && { body }),
      ...(headers !== undefined && { headers }),
    });
  const session: Merchant['session'] = async (fields = {}) =>
    bodyOf(await ask('POST', '/client-session', { ...ORDER, ...fields }), SessionBody).clientToken;
  const tokenize: Merchant['tokenize'] = async (token, number) =>
    bodyOf(await request('POST', '/checkout/payment-instruments', { token, body: card(number) }), TokenBody).token;
  const pay: Merchant['pay'] = async ({ session: fields, card: number, fields: own } = {}) => {
    const clientToken = await session(fields);
    return ask('POST', '/payments', { paymentMethodToken: await tokenize(clientToken, number), clientToken, ...own });
  };
  const paid: Merchant['paid'] = async (paying) => paymentOf(await pay(paying));
  return {
    ...all,
    accountId,
    keyFor: (scope) => once(keys, scope, () => newKey([scope])),
    newKey,
    ask,
    session,
    tokenize,
    async vaulted(customerId, number) {
      const token = await tokenize(await session(), number);
      return bodyOf(await ask('POST', `/payment-instruments/${token}/vault`, { customerId }), TokenBody).token;
    },
    pay,
    paid,
    captured: async (paying) => paymentOf(await ask('POST', `/payments/${(await paid(paying)).id}/capture`)),
  };
}

function once<Name, Value>(made: Map<Name, Value>, name: Name, make: () => Value): Value {
  const known = made.get(name);
  if (known !== undefined) return known;
  const value = make();
  made.set(name, value);
  return value;
}
