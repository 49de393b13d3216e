// The tables of docs/contract.md against the code: what they promise is there, and what they mark as not there yet is
// not.
import { expect } from 'chai';
import { z } from 'zod';
import {
  CreateClientSessionFields,
  Customer,
  LineItem,
  Order,
  PaymentMethod,
} from '../../src/commands/fields/session-fields.ts';
import { SCOPES } from '../../src/domain/api-key/scopes.ts';
import { paymentCategory } from '../../src/domain/payment/events.ts';
import { METHODS, OfferedMethod, typeOfOffered } from '../../src/domain/payment-method.ts';
import { WEBHOOK_TYPES } from '../../src/domain/webhook-endpoint/types.ts';
import { PaymentAnswer } from '../../src/http/answers/payment.ts';
import { STATUS } from '../../src/http/errors.ts';
import type { Route } from '../../src/http/route.ts';
import { managementRoutes } from '../../src/http/routes/management/all.ts';
import { scenarios } from '../../src/processors/sandbox/cards.ts';
import { FAULTS } from '../../src/processors/sandbox/faults/fault-table.ts';
import { SETTING_NAMES, SETTINGS, type Setting } from '../../src/settings.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { codeIn, MARK, readPage, rowsOf, sectionOf } from './pages.ts';
import { flagsOf, leavesOf, typed } from './typed-command.ts';

/** No part of the service: no handler is asked. */
const NO_PARTS: object = { of: { access: {}, queries: {} } };
const CONTRACT = readPage('docs/contract.md').text;

/** The rows of a section's tables, or of one part of it. */
const rowsIn = (heading: string, part = ''): readonly (readonly string[])[] => {
  const section = sectionOf(CONTRACT, heading);
  return rowsOf(part === '' ? section : (`\n${section}`.split(`\n### ${part}\n`)[1]?.split('\n### ')[0] ?? ''));
};
const isThere = (row: readonly string[]): boolean => !row.some((cell) => cell.includes(MARK));

const sorted = (values: Iterable<string>): readonly string[] => [...new Set(values)].sort();

describe('the endpoints of the contract', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const named = (cell: string): readonly string[] =>
    codeIn(cell).filter((code) => /^(?:GET|POST|PATCH|PUT|DELETE) \//.test(code));
  const nameOf = ({ method, path }: Route): string => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;
  const routes = (isIncluded: (route: Route) => boolean): readonly string[] =>
    http.routes.filter(isIncluded).map(nameOf);

  it('have the scopes of the code', () => {
    const table = rowsIn('2. Authentication and scopes').filter(([, scope = '']) =>
      SCOPES.some((one) => scope.startsWith(`\`${one}\``)),
    );
    const promised = table
      .filter(isThere)
      .flatMap(([cell = '', scope = '']) => named(cell).map((name) => `${name} ${codeIn(scope)[0]}`));
    const isScoped = ({ scope }: Route): boolean => scope !== 'public' && scope !== 'clientToken';
    const inCode = sorted(http.routes.filter(isScoped).map((route) => `${nameOf(route)} ${route.scope}`));
    expect(
      sorted(promised),
      'the first table of docs/contract.md §2 has not the routes of src/http/routes/ with their scopes',
    ).to.deep.equal(inCode);
  });

  it('are those of the checkout, and those that are public', () => {
    const rows = [...rowsIn('2. Authentication and scopes'), ...rowsIn('9. Public without a key')];
    const promised = rows
      .filter((row) => !SCOPES.some((one) => row[1]?.startsWith(`\`${one}\``)))
      .filter((row) => !row[0]?.includes(MARK));
    // built files (test/http/docs.test.ts, test/browser/pay-page.test.ts)
    const pages = new Set(['GET /docs', 'GET /docs/api', 'GET /docs/management-api', 'GET /pay/{id}']);
    const promisedRoutes = promised.flatMap(([cell = '']) => named(cell)).filter((name) => !pages.has(name));
    const inCode = sorted(routes(({ scope }) => scope === 'public' || scope === 'clientToken'));
    expect(
      sorted(promisedRoutes),
      'the tables of docs/contract.md §2 (the checkout) and §9 have not the routes of src/http/routes/',
    ).to.deep.equal(inCode);
  });

  it('are those of management', () => {
    const parts: Parameters<typeof managementRoutes>[0] = Reflect.get(NO_PARTS, 'of');
    const promised = rowsIn('12. Management').flatMap(([cell = '']) => named(cell));
    expect(sorted(promised)).to.deep.equal(sorted(managementRoutes(parts).map(nameOf)));
  });

  it('are not there where it says so', () => {
    const marked = [
      ...CONTRACT.matchAll(
        /`((?:GET|POST) \/[^`? ]+)[^`\n|]*`(?:, `((?:GET|POST) \/[^`]+)`)? \*\*\(not there yet\)\*\*/g,
      ),
    ];
    const names = marked.flatMap(([, ...found]) => found.filter((name) => name !== undefined));
    expect(names.filter((name) => routes(() => true).includes(name))).to.deep.equal([]);
  });
});

describe('the errors of the contract', () => {
  const rows = rowsIn('7. Errors');
  const listed = (isThereNow: boolean): readonly string[] =>
    rows.flatMap(([status = '', cell = '']) => {
      const items = [...cell.matchAll(/`([A-Z][A-Za-z]+[a-z])`( \*\*\(not there yet\)\*\*)?/g)];
      return items
        .filter(([, , mark]) => (mark === undefined) === isThereNow)
        .map(([, name = '']) => `${status} ${name}`);
    });
  /** Headers that the table names as well. */
  const HEADERS: ReadonlySet<string> = new Set(['405 Allow', '429 RateLimit']);

  it('are those of the code, each with its status', () => {
    const known = Object.entries(STATUS).map(([name, status]) => `${status} ${name}`);
    const there = sorted(listed(true).filter((one) => !HEADERS.has(one)));
    expect(there, 'the table of docs/contract.md §7 has not the errors of src/http/errors.ts').to.deep.equal(
      sorted(known),
    );
  });

  it('are not there where it says so', () => {
    expect(listed(false).filter((one) => Object.hasOwn(STATUS, one.split(' ')[1] ?? ''))).to.deep.equal([]);
  });
});

/** Members that a page lists in code, such as `fees[] {amount*, type}`: each name, and `fees.amount`. */
function membersIn(text: string): readonly string[] {
  const lists = codeIn(text).flatMap((code) => code.match(/\w+\*?(?:\[\])?(?: \{[^}]*\})?/g) ?? []);
  return lists.flatMap((member) => {
    const [, name = '', inner = ''] = /^(\w+)[^{]*(?:\{(.*)\})?$/.exec(member) ?? [];
    return [name, ...(inner.match(/\w+/g) ?? []).map((one) => `${name}.${one}`)];
  });
}

const JsonObject = z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() });
/** The members of a schema, with those of the named objects in it. */
function membersOf(schema: z.ZodType, inner: readonly string[] = []): readonly string[] {
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  const at = (of: unknown): readonly string[] =>
    Object.keys(JsonObject.parse(resolved(itemIn(resolved(of, whole)), whole)).properties ?? {});
  const { properties = {} } = JsonObject.parse(resolved(whole, whole));
  return [...Object.keys(properties), ...inner.flatMap((name) => at(properties[name]).map((one) => `${name}.${one}`))];
}
const Ref = z.looseObject({ $ref: z.string() });
/** What a reference within a schema leads to. */
function resolved(of: unknown, whole: unknown): unknown {
  const { data } = Ref.safeParse(of);
  const { $defs = {} } = z.looseObject({ $defs: z.record(z.string(), z.unknown()).optional() }).parse(whole);
  return data === undefined ? of : $defs[data.$ref.replace('#/$defs/', '')];
}
/** An element of a list, or the object itself. */
const itemIn = (of: unknown): unknown => z.looseObject({ items: z.looseObject({}) }).safeParse(of).data?.items ?? of;

describe('the objects of the contract', () => {
  const line = (start: string): string => {
    const [found = ''] = CONTRACT.split('\n').filter((one) => one.startsWith(start));
    return found.slice(start.length);
  };
  const compare = (start: string, schema: z.ZodType, inner: readonly string[] = []): void => {
    const listed = sorted(membersIn(line(start)));
    expect(listed, `${start} in docs/contract.md`).to.deep.equal(sorted(membersOf(schema, inner)));
  };

  it('have the members of a client session, as its requests do', () => {
    compare('Fields (the body of POST; all optional): ', CreateClientSessionFields);
    compare('- **order**: ', Order, ['fees', 'shipping']);
    compare('- **line item**: ', LineItem, ['productData']);
    compare('- **customer**: ', Customer);
    compare('- **address**: ', Customer.shape.billingAddress);
    compare('- **paymentMethod**: ', PaymentMethod);
  });

  it('have the members of a payment, as its responses do', () =>
    compare('**Payment object**: ', PaymentAnswer, ['paymentMethod', 'processor', 'requiredAction', 'statusReason']));

  it('are paid by the methods of the code', () => {
    const rows = rowsIn('4. Payment', 'Methods').flatMap(([names = '', type = '', taken = '', , , , money = '']) =>
      names.split(', ').map((name) => [name, type.split(',')[0], taken, money] as const),
    );
    const words = OfferedMethod.options.map((name) => {
      const type = typeOfOffered(name);
      const { capture, currencies, most } = METHODS[type];
      const in100 = most === undefined ? '' : `, ${(most / 100).toLocaleString('en', { minimumFractionDigits: 2 })}`;
      const money = currencies === 'any' ? 'any' : `${currencies.join(' ')}${in100}`;
      return [name, type, capture === 'separate' ? 'by a capture' : 'with the authorization', money] as const;
    });
    expect(rows).to.have.deep.members(words);
  });

  it('are told by the types of webhooks of the code', () => {
    const types = rowsIn('8. Webhooks', 'Out').flatMap(([cell = '']) => codeIn(cell));
    expect(sorted(types)).to.deep.equal(sorted(WEBHOOK_TYPES));
  });
});

describe('the facts of the contract', () => {
  it('are the events of a payment', () => {
    const listed = rowsIn('4. Payment', 'Facts').flatMap((row) =>
      codeIn(row.join(' ')).filter((code) => /^[A-Z][a-z]+[A-Z]\w+$/.test(code)),
    );
    const inCode = sorted(paymentCategory.upcasters.keys());
    expect(
      sorted(listed),
      'the tables of docs/contract.md §4, "Facts", have not the types of src/domain/payment/events.ts',
    ).to.deep.equal(inCode);
  });
});

describe('the settings of the contract', () => {
  const rows = rowsIn('11. Settings and command line', 'Settings');
  const variables = SETTING_NAMES.map((name) => SETTINGS[name].variable);
  const inRows = (chosen: readonly (readonly string[])[]): readonly string[] =>
    chosen.flatMap(([cell = '']) => codeIn(cell));

  it('are those of the code', () => expect(sorted(inRows(rows.filter(isThere)))).to.deep.equal(sorted(variables)));

  it('have flags that are called like them', () => {
    for (const name of SETTING_NAMES) {
      const { flag, variable }: Setting = SETTINGS[name];
      const expected = `--${variable.slice('COUNTERFOIL_'.length).toLowerCase().replaceAll('_', '-')}`;
      if (flag !== undefined) expect(flag.split(' ')[0]).to.equal(expected);
    }
  });

  it('are not there where it says so', () => {
    const others = inRows(rows.filter((row) => !isThere(row)));
    expect(others.filter((variable) => variables.some((one) => one === variable))).to.deep.equal([]);
  });
});

describe('the commands of the contract', () => {
  const there = sectionOf(CONTRACT, '11. Settings and command line').split('\n### Commands\n')[1] ?? '';
  const lines = (text: string): readonly string[] => rowsOf(text).flatMap(([cell = '']) => codeIn(cell));

  it('are those of the code, with flags that they have', () => {
    expect(sorted(lines(there).flatMap((line) => typed(line).map(({ command }) => command)))).to.deep.equal(
      sorted(leavesOf()),
    );
  });

  it('name every flag, but the settings and those that are described for all commands at once', () => {
    const named = lines(there).flatMap((line) =>
      typed(line).map(({ command, flags }) => [command, sorted(flags)] as const),
    );
    for (const [command, flags] of named) expect(flags, command).to.deep.equal(sorted(flagsOf(command)));
  });
});

describe('the sandbox of the contract', () => {
  const cards = rowsIn('10. The sandbox', 'Cards');
  const numbersIn = (chosen: readonly (readonly string[])[]): readonly string[] =>
    chosen.flatMap(([cell = '']) => cell.split(', ').map((number) => number.replaceAll(' ', '')));
  const known = scenarios().flatMap(({ numbers = [] }) => numbers);

  it('has the cards of the code', () => expect(sorted(numbersIn(cards.filter(isThere)))).to.deep.equal(sorted(known)));

  it('has no card that it says is not there', () => {
    expect(numbersIn(cards.filter((row) => !isThere(row))).filter((number) => known.includes(number))).to.deep.equal(
      [],
    );
  });

  it('has the faults of the code, each in its phases', () => {
    const promised = rowsIn('10. The sandbox', 'Faults by rule').flatMap(([phases = '', faults = '']) =>
      codeIn(phases).flatMap((phase) => codeIn(faults).map((fault) => `${fault} ${phase}`)),
    );
    const allowed = Object.entries(FAULTS).flatMap(([fault, { phases }]) => phases.map((phase) => `${fault} ${phase}`));
    expect(sorted(promised)).to.deep.equal(sorted(allowed));
  });
});
