// /openapi.json (contract §9): valid and complete.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect } from 'chai';
import { z } from 'zod';
import { SCOPES } from '../../src/domain/scopes.ts';
import { STATUS } from '../../src/http/errors.ts';
import { errorsOf } from '../../src/http/openapi.ts';
import { MEMBERS, PARAMETERS, TAGS } from '../../src/http/openapi-words.ts';
import { type ServedApi, serveApi } from './api/serve-api.ts';

const Document = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string().optional(),
        security: z.array(z.record(z.string(), z.array(z.string()))),
        'x-scope': z.string().optional(),
        tags: z.array(z.string()),
        parameters: z.array(z.looseObject({ name: z.string().optional(), description: z.string().optional() })),
        requestBody: z
          .looseObject({ content: z.record(z.string(), z.looseObject({ example: z.looseObject({}).optional() })) })
          .optional(),
      }),
    ),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }),
});

describe('/openapi.json', () => {
  let api: ServedApi;
  let text: string;
  let document: z.infer<typeof Document>;
  before(async () => {
    api = await serveApi();
    const answer = await api.ask({ path: '/openapi.json' });
    text = answer.text;
    document = Document.parse(answer.body);
  });
  after(() => api.close());

  it('refers only to parts that it holds', () => {
    for (const [, path = ''] of text.matchAll(/"\$ref":"#([^"]+)"/g)) {
      const found = path
        .split('/')
        .slice(1)
        .reduce<unknown>(
          (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
          document,
        );
      expect(found, path).not.to.equal(undefined);
    }
    expect(text).not.to.contain('$defs').and.not.to.contain('__schema');
  });

  it('has every route and no other, each under a name of its own, with the scope that it needs', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ key: `${method} ${path}`, ...operation })),
    );
    // A signpost answers nothing of its own.
    const routes = api.routes.filter(({ description }) => description.leadsTo === undefined);
    const mounted = routes.map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect(described.map(({ key }) => key)).to.have.members(mounted);
    const ids = described.map(({ operationId }) => operationId);
    const nameless = described.filter(({ operationId }) => operationId === undefined).map(({ key }) => key);
    expect(nameless, 'give each of these routes an `id`, in src/http/routes/').to.deep.equal([]);
    expect(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      'two routes have the same `id`',
    ).to.deep.equal([]);
    for (const { method, path, scope, keyInPath } of routes) {
      const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      const expected =
        scope === 'public' || keyInPath ? [] : scope === 'clientToken' ? [{ clientToken: [] }] : [{ apiKey: [] }];
      expect(operation?.security, `${method} ${path}`).to.deep.equal(expected);
      expect(operation?.['x-scope']).to.equal(scope === 'public' || scope === 'clientToken' ? undefined : scope);
    }
  });

  it('is valid OpenAPI 3.1 by the strict rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).to.deep.equal([]);
  });

  it('has words for each member of each schema, and each parameter', () => {
    const silent = membersIn(document).filter(({ description }) => description === undefined);
    const where =
      'give each of these members `.meta({ description })` in its schema, or a line in MEMBERS of src/http/openapi-words.ts';
    expect(
      silent.map(({ path }) => path),
      where,
    ).to.deep.equal([]);
    const parameters = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.values(operations).flatMap((operation) =>
        operation.parameters.map((parameter) => ({ path, ...parameter })),
      ),
    );
    const silentOnes = parameters.filter(({ name, description }) => name !== undefined && description === undefined);
    expect(
      silentOnes,
      'give each of these parameters `.meta({ description })` in its route, or a line in PARAMETERS of src/http/openapi-words.ts',
    ).to.deep.equal([]);
  });

  it('has no unused words: of members, parameters and tags', () => {
    const members = membersIn(document);
    const used = new Set(members.map(({ description }) => description));
    const idle = Object.entries(MEMBERS).filter(([, words]) => !used.has(words));
    expect(idle, 'no schema uses these lines of src/http/openapi-words.ts').to.deep.equal([]);
    for (const words of Object.values(PARAMETERS)) expect(text).to.contain(JSON.stringify(words));
    expect(Object.keys(TAGS)).to.have.members([
      ...new Set(
        Object.values(document.paths).flatMap((operations) => Object.values(operations).flatMap(({ tags }) => tags)),
      ),
    ]);
  });

  it('calls operations as a client would, and shows a body for each that takes one', () => {
    expect(document.paths['/payments/{id}/capture']?.['post']?.operationId).to.equal('capturePayment');
    const without = api.routes.filter(({ method, path, bodyKind }) => {
      const shown =
        document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.requestBody?.content[
          'application/json'
        ];
      return bodyKind !== 'none' && method !== 'DELETE' && shown?.example === undefined;
    });
    expect(
      without.map(({ path }) => path),
      'give each of these routes an `example` with a body, in src/http/routes/',
    ).to.deep.equal([]);
  });

  it('names the currencies and countries once', () => {
    // in circulation; with those withdrawn, in requests and in answers
    for (const code of ['"AED"', '"AX"'])
      expect(text.split(code).length - 1, code).to.be.at.most(code === '"AED"' ? 3 : 1);
  });

  it('leaves the enumerations and objects of answers open, and those of requests closed', () => {
    const { schemas } = document.components;
    expect(schemas['PaymentStatus']).to.have.property('anyOf');
    expect(schemas['PaymentStatusInput']).to.have.property('enum');
    const answered = schemasIn(document, (key) => key === 'responses' || key === 'webhooks');
    expect(
      answered.filter(({ schema }) => 'enum' in schema || 'const' in schema).map(({ path }) => path),
    ).to.deep.equal([]);
    expect(
      answered.filter(({ schema }) => Reflect.get(schema, 'additionalProperties') === false).map(({ path }) => path),
    ).to.deep.equal([]);
    expect(answered.length).to.be.above(200);
    const asked = schemasIn({ ...document, webhooks: undefined }, (key) => key === 'requestBody').filter(
      ({ schema }) => 'properties' in schema,
    );
    const open = asked.filter(({ schema }) => Reflect.get(schema, 'additionalProperties') !== false);
    expect(open.map(({ path }) => path)).to.deep.equal([]);
  });

  it('has a whole number for each amount, and a pattern for the number of a card', () => {
    const amounts = [
      ...text.matchAll(/"(?:amount|discountAmount|taxAmount|quantity)":(\{[^{}]*\}|\{"anyOf":\[\{[^{}]*\})/g),
    ].map(([, schema = '']) => schema);
    expect(
      amounts.filter((schema) => !schema.includes('"type":"integer"') && !/^\{"(?:code|id)/.test(schema)),
    ).to.deep.equal([]);
    expect(amounts.length).to.be.above(20);
    const given = z.object({ properties: z.object({ number: z.object({ pattern: z.string() }) }) });
    const card = z.object({ card: z.object({ anyOf: z.tuple([given], z.unknown()) }) });
    const { anyOf } = card.parse(document.components.schemas['TokenizeCard']?.['properties']).card;
    const { pattern } = anyOf[0].properties.number;
    for (const number of [
      '4242424242424242',
      '4242 4242 4242 4242',
      '4242-4242-4242-4242',
      '676770000006',
      ' 676770000006-',
    ])
      expect(number, number).to.match(new RegExp(pattern));
    for (const number of ['', '4242', '42424242424', '42424242424242424242', '4242x42424242424', '-'.repeat(20)])
      expect(number, number).not.to.match(new RegExp(pattern));
  });

  it('lets the members of a POST be null, and neither required ones nor those of lists in a PATCH', () => {
    const isNullable = (name: string, member: string): boolean =>
      JSON.stringify(Reflect.get(Object(document.components.schemas[name]?.['properties']), member)).includes(
        '{"type":"null"}',
      );
    expect(isNullable('ClientSessionFields', 'orderId')).to.equal(true);
    expect(isNullable('ClientSessionFields', 'customer')).to.equal(true);
    expect(isNullable('Customer', 'firstName')).to.equal(true);
    expect(isNullable('AuthorizePayment', 'clientToken')).to.equal(true);
    expect(isNullable('AuthorizePayment', 'paymentMethodToken')).to.equal(false);
    expect(isNullable('LineItem', 'name')).to.equal(true);
    expect(isNullable('LineItem', 'amount')).to.equal(false);
    expect(isNullable('LineItemInput', 'name')).to.equal(false);
  });

  it("names the sandbox's signature where notifications come in", () => {
    for (const path of ['/webhooks/{processor}', '/webhooks/{processor}/{token}'])
      expect(JSON.stringify(document.paths[path]?.['post']?.parameters), path).to.contain(
        '#/components/parameters/SandboxSignature',
      );
    expect(text).to.contain('"name":"X-Sandbox-Signature"');
  });

  it('names every scope and every error somewhere', () => {
    const scopes = new Set(api.routes.map(({ scope }) => scope));
    for (const scope of SCOPES) expect(scopes).to.include(scope);
    const named = new Set(api.routes.flatMap((route) => [...errorsOf(route)]));
    const unnamed = Object.keys(STATUS).filter((errorId) => ![...named].some((one) => one === errorId));
    expect(unnamed, 'an error that no route names: add it to the `errors` of the route that answers it').to.deep.equal([
      'MethodNotAllowed',
    ]); // no operation answers it
  });
});

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

interface Member {
  readonly path: string;
  readonly description: unknown;
}

/**
 * All schemas under the members that `begins` names, those of components included, each once; without the values of
 * open enumerations.
 */
function schemasIn(
  document: object,
  begins: (key: string) => boolean,
): readonly { readonly path: string; readonly schema: object }[] {
  const found: { readonly path: string; readonly schema: object }[] = [];
  const seen = new Set<object>();
  const isOpenEnumeration = (key: string, inner: unknown): boolean =>
    key === 'anyOf' && JSON.stringify(inner).endsWith(',{"type":"string"}]');
  const walk = (value: unknown, path: string, isIn: boolean): void => {
    if (!isObject(value) || seen.has(value)) return;
    const reference: unknown = Reflect.get(value, '$ref');
    if (isIn && typeof reference === 'string') {
      const steps = reference.slice(2).split('/');
      walk(
        steps.reduce<unknown>((from, name) => Reflect.get(Object(from), name), document),
        reference,
        true,
      );
      return;
    }
    if (isIn) {
      seen.add(value);
      found.push({ path, schema: value });
    }
    for (const [key, inner] of Object.entries(value))
      if (key !== 'example' && !isOpenEnumeration(key, inner)) walk(inner, `${path}.${key}`, isIn || begins(key));
  };
  walk(document, '', false);
  return found;
}

/** Every member of every object in the document's schemas, wherever they stand. */
function membersIn(value: unknown, path = ''): readonly Member[] {
  if (typeof value !== 'object' || value === null) return [];
  const here: Member[] = [];
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'example') continue;
    const isProperties = key === 'properties' && typeof inner === 'object' && inner !== null;
    if (isProperties)
      for (const [name, schema] of Object.entries(inner))
        here.push({
          path: `${path}.${name}`,
          description: isObject(schema) ? Reflect.get(schema, 'description') : undefined,
        });
    here.push(...membersIn(inner, isProperties ? path : `${path}.${key}`));
  }
  return here;
}
