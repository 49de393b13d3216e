// Writes the tables of docs/contract.md and docs/contract/, between `<!-- generated: … -->` and `<!-- end -->`, from
// the values and schemas that the service uses. Part of `npm run build`; with --check it writes nothing, and fails if a
// page is not as the code says.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describingParts, ROOT, serviceCode } from './service-code.mjs';

/** The most characters in a cell: more than a fact is a rule, and belongs in a sentence. */
const LONGEST_CELL = 210;

const code = await serviceCode(`
  export { SCOPES } from './domain/scopes.ts';
  export { declineReason, refusalCodes } from './domain/payment/decline-reason.ts';
  export { FACT_WORDS } from './domain/payment/fact-words.ts';
  export { METHODS, OfferedMethod, typeOfOffered } from './domain/payment-method.ts';
  export { WEBHOOK_TYPES, WEBHOOK_WORDS } from './domain/webhook-endpoint.ts';
  export { ERROR_WORDS, STATUS } from './http/errors.ts';
  export { openapi } from './http/openapi.ts';
  export { allRoutes, managementRoutes } from './http/routes/all.ts';
  export { CARDS } from './processors/sandbox/cards.ts';
  export { FAULTS } from './processors/sandbox/faults.ts';
  export { FaultPlan as faultPlan, FaultReport as faultReport } from './processors/sandbox/fault-plan.ts';
  export { SETTINGS } from './settings.ts';`);

const parts = describingParts(code);
const routes = code.allRoutes(parts);
const management = code.managementRoutes(parts);
const documents = {
  merchants: JSON.parse(code.openapi(routes)),
  management: JSON.parse(code.openapi(management, 'management')),
};

/** The tables without an argument, by the name in their mark. */
const TABLES = {
  endpoints: () => {
    const scoped = routes.filter(({ scope }) => code.SCOPES.includes(scope));
    const inOrder = code.SCOPES.flatMap((scope) => scoped.filter((route) => route.scope === scope));
    return table(
      ['endpoint', 'scope', 'what it does'],
      inOrder.map((route) => [nameOf(route), quoted(route.scope), summaryOf(route)]),
    );
  },
  'checkout endpoints': () => endpointsOf(routes.filter(({ scope }) => scope === 'clientToken')),
  'public endpoints': () => endpointsOf(routes.filter(({ scope }) => scope === 'public')),
  'management endpoints': () => endpointsOf(management),
  errors: () => {
    const inOrder = Object.entries(code.STATUS).toSorted(([, one], [, other]) => one - other);
    return table(
      ['status', 'errorId', 'meaning'],
      inOrder.map(([errorId, status]) => [String(status), quoted(errorId), code.ERROR_WORDS[errorId]]),
    );
  },
  webhooks: () =>
    table(
      ['type', 'when it is sent'],
      code.WEBHOOK_TYPES.map((type) => [quoted(type), code.WEBHOOK_WORDS[type]]),
    ),
  facts: () =>
    table(
      ['type', 'meaning'],
      Object.entries(code.FACT_WORDS).map(([type, words]) => [quoted(type), words]),
    ),
  'decline codes': () =>
    table(
      ['code', 'reason', 'message'],
      code.refusalCodes.map((name) => {
        const { type, message } = code.declineReason({ code: name, declineType: 'HARD' }, 'authorization');
        return [quoted(name), type, message];
      }),
    ),
  methods: () =>
    table(
      ['method', 'type of the payment', 'money is taken', 'outcome', 'the customer acts', 'currencies, most'],
      code.OfferedMethod.options.map((name) => {
        const type = code.typeOfOffered(name);
        const { capture, answer, action, currencies, most } = code.METHODS[type];
        const limit = most === undefined ? '' : `, ${(most / 100).toLocaleString('en', { minimumFractionDigits: 2 })}`;
        return [
          name,
          type,
          capture === 'separate' ? 'by a capture' : 'with the authorization',
          answer === 'soon' ? 'while the customer pays' : 'days later',
          ACTS[action],
          currencies === 'any' ? 'any' : `${currencies.join(' ')}${limit}`,
        ];
      }),
    ),
  cards: () =>
    table(
      ['number', 'what it is for', 'what happens'],
      code.CARDS.filter(({ numbers }) => numbers.length > 0).map(({ numbers, title, outcome }) => [
        numbers.map((number) => number.replaceAll(/(?<=^(?:\d{4})+)(?=\d)/g, ' ')).join(', '),
        title,
        outcome,
      ]),
    ),
  'cards of other methods': () =>
    table(
      ['method', 'account', 'what happens'],
      code.CARDS.filter(({ method }) => method !== undefined).map(({ method, ibans = [], outcome }) => [
        method,
        ibans.join(', '),
        outcome,
      ]),
    ),
  faults: () =>
    table(
      ['fault', 'phases', 'what it does'],
      Object.entries(code.FAULTS).map(([name, { phases, does }]) => [
        quoted(name),
        phases.map(quoted).join(', '),
        shortOf(does),
      ]),
    ),
  settings: () =>
    table(
      ['variable', 'default', 'meaning', 'allowed'],
      Object.values(code.SETTINGS).map(({ variable, fallback, unset = '', meaning, allowed }) => [
        quoted(variable),
        fallback === undefined ? unset : quoted(typeof fallback === 'function' ? fallback('<data dir>') : fallback),
        meaning,
        allowed,
      ]),
    ),
};
const ACTS = {
  none: 'not at all',
  frame: 'in a frame, if the bank asks for 3-D Secure',
  page: 'on the page of the bank or method',
  show: 'with the numbers of a voucher',
};
/** The tables of a schema: `fields Payment`, `values Payment.status`, `query GET /payments`. */
const OF_SCHEMAS = { fields: fieldsTable, values: valuesTable, query: queryTable };

/** These have the fields of another table, or one field that a sentence names. */
const WITHOUT_TABLE = [
  ...[
    'ClientSession',
    'CreatedClientSession',
    'PatchClientSession',
    'CreatePaymentLink',
    'ClientToken',
    'IssueClientToken',
    'CheckoutAgreement',
  ],
  ...[
    'CustomerErasure',
    'DisputeAcceptance',
    'ErrorStatusReason',
    'GiveUpAction',
    'NotificationReceived',
    'PaymentMessage',
  ],
  ...['PaymentWhy', 'ResumePayment', 'SandboxFaultReport', 'SandboxScenarios', 'TokenizedCard'],
];

const pages = ['docs/contract.md', ...readdirSync(join(ROOT, 'docs/contract')).map((name) => `docs/contract/${name}`)];
const isCheck = process.argv.includes('--check');
/** @type {Set<string>} */
const used = new Set();
const stale = pages.filter((page) => {
  const before = readFileSync(join(ROOT, page), 'utf8');
  const after = before.replaceAll(
    /^(<!-- generated: (.+) -->\n)[\s\S]*?^(?=<!-- end -->$)/gm,
    (_, mark, name) => `${mark}\n${generated(name, page)}\n\n`,
  );
  if (after === before) return false;
  if (!isCheck) writeFileSync(join(ROOT, page), after);
  return true;
});
const missing = [...Object.keys(TABLES), ...objects()].filter((name) => !used.has(name));
if (missing.length > 0) throw new Error(`no page has a mark of these tables: ${missing.join(', ')}`);
if (isCheck && stale.length > 0) {
  console.error(`These pages are not as the code says; run \`npm run build\`: ${stale.join(', ')}.`);
  process.exitCode = 1;
}

/** @param {string} name @param {string} page */
function generated(name, page) {
  const [kind = '', ...rest] = name.split(' ');
  const make =
    TABLES[name] ??
    (rest.length > 0 && OF_SCHEMAS[kind] !== undefined ? () => OF_SCHEMAS[kind](rest.join(' ')) : undefined);
  if (make === undefined) throw new Error(`${page}: no table is called ${name}`);
  used.add(name);
  return make();
}

/** The tables that the objects of the API need: one for each, whatever its forms in requests and responses. */
function objects() {
  const schemas = Object.entries(documents.merchants.components.schemas);
  const named = schemas.flatMap(([name, { properties }]) =>
    properties === undefined || name.endsWith('List') ? [] : [shown(name)],
  );
  return named.filter((name) => !WITHOUT_TABLE.includes(name)).map((name) => `fields ${name}`);
}

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
function table(head, rows) {
  const silent = rows.find((cells) => cells.includes(undefined));
  if (silent !== undefined) throw new Error(`${silent[0]} has no words: write them beside its value, or at its schema`);
  const long = rows.flat().find((cell) => cell.length > LONGEST_CELL);
  if (long !== undefined) throw new Error(`this is longer than ${LONGEST_CELL} characters: ${long}`);
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.map(escaped).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** A bar would end the cell, and `<host>` outside of code would be HTML. @param {string} cell */
function escaped(cell) {
  return cell.replaceAll('|', '\\|').replaceAll(/`[^`]*`|</g, (found) => (found === '<' ? '\\<' : found));
}

function quoted(text) {
  return `\`${text}\``;
}
function nameOf({ method, path }) {
  return quoted(`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
}
function summaryOf({ description: { summary } }) {
  return summary;
}
function endpointsOf(some) {
  return table(
    ['endpoint', 'what it does'],
    some.map((route) => [nameOf(route), summaryOf(route)]),
  );
}
/** The first sentences, as many as fit into a cell. */
function shortOf(text) {
  const sentences = text.split(/(?<=\.) /);
  let short = '';
  for (const sentence of sentences)
    if (`${short} ${sentence}`.trim().length <= LONGEST_CELL) short = `${short} ${sentence}`.trim();
  return short;
}

function schemaOf(name) {
  const found = Object.values(documents)
    .map(({ components }) => components.schemas[name])
    .find((one) => one !== undefined);
  if (found === undefined) throw new Error(`no schema of the API is called ${name}`);
  return found;
}

/** A row for each field; those of an object in place follow it, as `object.field` or `list[].field`. */
function fieldsTable(name) {
  const schema = schemaOf(name);
  const rows = (/** @type {any} */ { properties = {}, required = [] }, path) =>
    Object.entries(properties).flatMap(([field, inner]) => {
      const value = plain(inner);
      const at = `${path}${field}`;
      const element = value.type === 'array' ? plain(value.items) : value;
      const mark = required.includes(field) ? '\\*' : '';
      // A description with several lines lists the values, which have a table of their own.
      const { description } = inner;
      const row = [
        `${quoted(at)}${mark}`,
        valuesOf(value),
        description?.includes('\n') ? 'See the table below.' : description,
      ];
      return [row, ...('properties' in element ? rows(element, `${at}${value.type === 'array' ? '[]' : ''}.`) : [])];
    });
  return table([shown(name), 'value', 'meaning'], rows(schema, ''));
}

/** `Component.field`, or a component that is an enumeration. */
function valuesTable(name) {
  const [component = '', ...path] = name.split('.');
  let schema = plain(schemaOf(component));
  for (const field of path) {
    schema = plain(schema.properties[field]);
    if (schema.type === 'array') schema = plain(schema.items);
  }
  const words = schema['x-enumDescriptions'];
  return table(
    [path.at(-1) ?? 'value', 'meaning'],
    schema.enum.map((value) => [quoted(value), words[value]]),
  );
}

function queryTable(name) {
  const [method = '', path = ''] = name.split(' ');
  const { parameters } = documents.merchants.paths[path][method.toLowerCase()];
  const own = parameters.filter((parameter) => parameter.in === 'query');
  return table(
    ['parameter', 'meaning'],
    own.map((parameter) => [quoted(parameter.name), parameter.description]),
  );
}

/** Without null, and without the "any other text" of an open enumeration. */
function plain(schema) {
  const { anyOf, ...rest } = schema;
  if (anyOf === undefined) return schema;
  const isOpen = anyOf.length === 2 && JSON.stringify(anyOf[1]) === '{"type":"string"}';
  const isNullable = anyOf.length === 2 && anyOf[1].type === 'null';
  return isOpen || isNullable ? plain({ ...rest, ...anyOf[0] }) : schema;
}

/** The values of a field in words. */
function valuesOf(schema) {
  if (schema.$ref !== undefined) return shown(schema.$ref.split('/').at(-1));
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((one) => valuesOf(plain(one))))].join(' or ');
  if (schema.enum !== undefined) {
    const all = schema.enum.join(', ');
    return all.length <= LONGEST_CELL ? all : 'text';
  }
  if (schema.const !== undefined) return String(schema.const);
  if (schema.type === 'array')
    return `list of ${valuesOf(plain(schema.items))}${schema.maxItems === undefined ? '' : `, at most ${schema.maxItems}`}`;
  if (schema.type === 'string') {
    if (schema.format === 'date-time') return 'time';
    const { minLength = 0, maxLength } = schema;
    return maxLength === undefined ? 'text' : `text, ${minLength}–${maxLength}`;
  }
  if (schema.type === 'integer') {
    const { minimum, maximum = Number.MAX_SAFE_INTEGER } = schema;
    return maximum < Number.MAX_SAFE_INTEGER ? `integer, ${minimum}–${maximum}` : 'integer';
  }
  return schema.type === undefined ? 'any' : String(schema.type);
}

/** A component as a reader knows it: its forms in requests and responses have one name. */
function shown(component) {
  const name = component.replace(/^(?:Answered|Known)/, '').replace(/(?:Input|Post|Output)$/, '');
  return { CurrencyCode: 'ISO 4217 code', CountryCode: 'ISO 3166-1 code' }[name] ?? name;
}
