// /openapi.json and /docs (contract §9): valid, complete, and offline.
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { z } from 'zod';
import { readDocsScript } from '../../src/cli/docs-script.ts';
import { SCOPES } from '../../src/domain/api-key/scopes.ts';
import { STATUS } from '../../src/http/errors.ts';
import { errorsOf } from '../../src/http/openapi.ts';
import { type ServedApi, serveApi } from './api/serve-api.ts';

const Document = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ operationId: z.string(), security: z.array(z.record(z.string(), z.array(z.string()))) })),
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

  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(text));
    expect(errors).to.equal(undefined);
    expect(valid).to.equal(true);
  });

  it('refers to nothing that it does not hold', () => {
    for (const [, path = ''] of text.matchAll(/"\$ref":"#([^"]+)"/g)) {
      const found = path
        .split('/')
        .slice(1)
        .reduce<unknown>((at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined), document);
      expect(found, path).not.to.equal(undefined);
    }
    expect(text).not.to.contain('$defs').and.not.to.contain('__schema');
  });

  it('has every route and no other, each under a name of its own, with the scope that it needs', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ key: `${method} ${path}`, ...operation })),
    );
    const mounted = api.routes.map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect(described.map(({ key }) => key)).to.have.members(mounted);
    expect(new Set(described.map(({ operationId }) => operationId)).size).to.equal(described.length);
    for (const { method, path, scope } of api.routes) {
      const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      const expected = scope === 'public' ? [] : scope === 'clientToken' ? [{ clientToken: [] }] : [{ apiKey: [scope] }];
      expect(operation?.security, `${method} ${path}`).to.deep.equal(expected);
    }
  });

  it('names every scope and every error somewhere', () => {
    const scopes = new Set(api.routes.map(({ scope }) => scope));
    for (const scope of SCOPES) expect(scopes).to.include(scope);
    const named = new Set(api.routes.flatMap((route) => [...errorsOf(route)]));
    const unnamed = Object.keys(STATUS).filter((errorId) => ![...named].some((one) => one === errorId));
    expect(unnamed).to.deep.equal(['MethodNotAllowed']); // no operation answers it
  });
});

describe('/docs', () => {
  let api: ServedApi;
  before(async () => {
    api = await serveApi();
  });
  after(() => api.close());

  it('is a page whose every address is of this server', async () => {
    const page = await api.ask({ path: '/docs' });
    expect(page.headers['content-type']).to.equal('text/html; charset=utf-8');
    const addresses = [...page.text.matchAll(/(?:src|href|url)="([^"]*)"/g)].map(([, address]) => address);
    expect(addresses).to.deep.equal(['/docs/openapi-explorer.js', '/openapi.json', '/']);
    for (const address of addresses.slice(0, 2)) expect((await api.ask({ path: address ?? '' })).status).to.equal(200);
  });

  it('may talk to nobody else, whatever its script tries', async () => {
    const { headers } = await api.ask({ path: '/docs' });
    expect(headers['content-security-policy']).to.contain("default-src 'none'").and.to.contain("connect-src 'self'");
    expect(headers['content-security-policy']).not.to.match(/https?:|\*|unsafe-eval/);
  });

  it('has a script that is in the package, names no other host, and needs no eval', async () => {
    const script = Buffer.from(await readDocsScript()).toString('utf8');
    expect(script).to.contain('openapi-explorer');
    const hosts = new Set([...script.matchAll(/https?:\/\/([\w.-]+\.[a-z]{2,})/g)].map(([, host]) => host));
    hosts.delete('example.com'); // a placeholder in an input
    hosts.delete('github.com'); // a comment
    hosts.delete('marked.js.org'); // the text of an error
    hosts.delete('www.w3.org'); // names of XML namespaces
    expect([...hosts]).to.deep.equal([]);
  });
});
