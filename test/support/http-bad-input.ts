// Bad input, generated from a good request: bodies with one wrong place, texts that are no JSON body, odd queries,
// paths and headers.

export interface BadBody {
  /** JSONPath of the wrong place. */
  readonly path: string;
  readonly text: string;
  /** True if every schema must refuse the value, wherever it stands. */
  readonly impossible: boolean;
}

const nested = (depth: number, open: string, close: string): string => `${open.repeat(depth)}1${close.repeat(depth)}`;

/** Values that no body may hold in any place (contract §1), as JSON text. */
const IMPOSSIBLE = [
  '1e400',
  `-1${'0'.repeat(400)}`,
  '"\\ud800"',
  '"a\\udc00b"',
  '"\\u0000"',
  '{"__proto__":1}',
  '[{"__proto__":{"amount":1}}]',
];

/** Values that are wrong in most places and right in some. */
const DOUBTFUL = [
  'null',
  'true',
  '-1',
  '10.5',
  '9007199254740992',
  '1e308',
  '"10"',
  '""',
  JSON.stringify('x'.repeat(300)),
  JSON.stringify('é'.repeat(20_000)),
  '"4242 4242 4242 4242"',
  '[]',
  '{}',
  '[null]',
  '[[[]]]',
  '{"constructor":{"prototype":{"amount":1}}}',
  '{"toString":1,"hasOwnProperty":"x"}',
  '{"":1}',
  nested(12, '[', ']'),
  nested(5_000, '{"a":', '}'),
];

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every place in a body, except the body itself. */
function* placesIn(value: unknown, path: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  if (path.length > 0) yield path;
  if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* placesIn(item, [...path, index]);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) yield* placesIn(member, [...path, name]);
}

const HERE = '@here@';
const replaced = (value: unknown, [step, ...rest]: readonly (string | number)[]): unknown => {
  if (step === undefined) return HERE;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? replaced(item, rest) : item));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, name === step ? replaced(member, rest) : member]),
    );
  return value;
};
const pathOf = (steps: readonly (string | number)[]): string =>
  steps.reduce<string>((text, step) => text + (typeof step === 'number' ? `[${step}]` : `.${step}`), '$');

/** Bodies with one wrong place. Each value comes in some place, and each place gets `ways` values of each kind. */
export function* badBodies(body: object, ways: number): Generator<BadBody> {
  let turn = 0;
  for (const steps of placesIn(body)) {
    const text = JSON.stringify(replaced(body, steps));
    for (let way = 0; way < ways; way += 1, turn += 1) {
      for (const [values, impossible] of [
        [IMPOSSIBLE, true],
        [DOUBTFUL, false],
      ] as const) {
        yield {
          path: pathOf(steps),
          impossible,
          text: text.replace(`"${HERE}"`, () => values[turn % values.length] ?? 'null'),
        };
      }
    }
  }
}

/** Bodies with an unknown member: in the body itself, and in each of its objects outside of free JSON. */
export function* withStrangers(body: object): Generator<BadBody> {
  for (const name of ['unknown', '__proto__', 'constructor', 'prototype', 'toString', 'é', '', '$ref']) {
    for (const steps of [[], ...placesIn(body)]) {
      const place = steps.reduce<unknown>(
        (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
        body,
      );
      if (!isObject(place) || steps.some((step) => step === 'metadata' || step === 'options')) continue;
      const text = JSON.stringify(steps.length === 0 ? { ...body, [HERE]: 1 } : body);
      const inside = JSON.stringify(replaced(body, steps)).replace(`"${HERE}"`, () =>
        JSON.stringify({ ...place, [HERE]: 1 }),
      );
      yield {
        path: pathOf(steps),
        impossible: true,
        text: (steps.length === 0 ? text : inside).replace(`"${HERE}"`, () => JSON.stringify(name)),
      };
    }
  }
}

/** Texts that no endpoint may accept as a JSON body. */
export const BAD_TEXTS: readonly (string | Buffer)[] = [
  '{',
  '}',
  '{"amount":}',
  '{"amount":1',
  "{'amount':1}",
  '{"amount":01}',
  '{"amount":NaN}',
  '{"amount":1,}',
  '{}{}',
  '{"a":"\n"}',
  '\ufeff{}',
  'undefined',
  '\u0000',
  '<xml/>',
  'null',
  'true',
  '1',
  '"text"',
  '[]',
  '[{}]',
  nested(100_000, '[', ']'),
  nested(40_000, '{"a":', '}'),
  nested(40_000, '[', ''),
  Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
  Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  Buffer.from('{}', 'utf16le'),
  ' '.repeat(300),
];

export const LARGE_TEXT = `{"metadata":{"a":"${'x'.repeat(513 * 1024)}"}}`;

export const BAD_CONTENT_TYPES: readonly string[] = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
  'application/merge-patch+json',
  'application/json, text/plain',
  'json',
  '',
];

/** Query parameters to append to a path's own query. */
export const BAD_QUERIES: readonly string[] = [
  'unknown=1',
  '__proto__=1',
  'constructor=1&constructor=2',
  'limit=1&limit=2',
  'limit=0',
  'limit=101',
  'limit=1e1',
  'limit=-1',
  'limit=',
  `limit=${'9'.repeat(400)}`,
  'cursor=',
  'cursor=x',
  'cursor=bnVsbA',
  `cursor=${'x'.repeat(5_000)}`,
  'cursor=a&cursor=b',
  'status=',
  'status=NOPE',
  'status=,',
  'status[]=AUTHORIZED',
  'currency_code=eur',
  'from_date=yesterday',
  'from_date=2020-02-30T00:00:00Z&from_date=x',
  'from_date=2020-01-01',
  'min_amount=1',
  'min_amount=1.5&currency_code=EUR',
  'min_amount=99999999999999999999&currency_code=EUR',
  'last_4_digits=12345',
  'order_id=%00',
  'order_id=%ff%fe',
  'order_id=%',
  `order_id=${'o'.repeat(300)}`,
  `order_id=${Array.from({ length: 200 }, (_, index) => index).join(',')}`,
  'customer_id=a&customer_id=b',
  'customer_id=',
  `customer_id=${'%F0%9F%98%80'.repeat(300)}`,
  'expand=everything',
  'expand=transactions.events&expand=transactions.events',
  'clientToken=x&clientToken=y',
  'clientToken=',
  `clientToken=${'x'.repeat(3_000)}`,
  '=',
  '&&&',
  '%00=%00',
  '?',
];

/** Values for a path's parameter. */
export const BAD_SEGMENTS: readonly string[] = [
  'x',
  '%00',
  '%ff',
  '%E0%A4%A',
  '%',
  '..%2f..%2fetc',
  '__proto__',
  'constructor',
  'pay_',
  'pm_',
  'pay_%00',
  'pay_1-1',
  'pm_1.1',
  `pay_${'a'.repeat(65)}`,
  `pm_${'a'.repeat(2_000)}`,
  'pay_%F0%9F%98%80',
  "pay_1'--",
  'pay_*',
];

export const ODD_HEADERS: readonly { readonly [name: string]: string | string[] }[] = [
  { 'x-api-version': '2.0' },
  { 'x-api-version': '1.0, 1.0' },
  { 'x-api-version': ['1.0', '1.0'] },
  { 'x-request-id': '' },
  { 'x-request-id': 'x'.repeat(200) },
  { 'x-request-id': 'a b' },
  { 'x-request-id': '__proto__' },
  { 'x-request-id': ['a', 'b'] },
  { 'if-match': '' },
  { 'if-match': '"' },
  { 'if-match': 'W/"0"' },
  { 'if-match': '"99999999999999999999"' },
  { 'if-match': ',,,' },
  { 'if-match': '"\u00e9"' },
  { 'if-match': 'x'.repeat(5_000) },
  { 'x-idempotency-key': '' },
  { 'x-idempotency-key': '""' },
  { 'x-idempotency-key': 'x'.repeat(256) },
  { 'x-idempotency-key': ['a', 'b'] },
  { 'x-idempotency-key': 'a', 'idempotency-key': 'b' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'identity' },
  { accept: 'text/xml' },
  { 'accept-encoding': 'br;q=0' },
  { cookie: 'a=b; __proto__=c' },
  { 'x-http-method-override': 'DELETE' },
  { 'x-forwarded-for': "'; drop table events" },
  { origin: 'null' },
  { range: 'bytes=0-1' },
  { 'if-none-match': '*' },
  { expect: '100-continue' },
];
