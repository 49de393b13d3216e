// The description of requests: each endpoint takes the requests that /openapi.json describes, and no others.
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { z } from 'zod';
import { OPERATIONS } from '../../src/http/openapi-operations.ts';
import { SAMPLES } from '../support/http-samples.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const Document = z.looseObject({
  components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        parameters: z.array(z.looseObject({ name: z.string().optional(), in: z.string().optional(), required: z.boolean().optional() })),
        requestBody: z
          .looseObject({
            required: z.boolean(),
            content: z.looseObject({ 'application/json': z.looseObject({ schema: z.looseObject({}) }) }),
          })
          .optional(),
      }),
    ),
  ),
});

describe('the description of requests', () => {
  let http: HttpService;
  let document: z.infer<typeof Document>;
  let validate: (schema: object, value: unknown) => readonly string[];
  before(async () => {
    http = await serveHttp();
    document = Document.parse((await http.request('GET', '/openapi.json')).body);
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    ajv.addSchema({ $id: 'openapi.json', components: document.components });
    validate = (schema, value) => {
      const check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi.json#/components/')));
      return check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    };
  });
  after(() => http.stop());

  for (const [name, make] of Object.entries(SAMPLES)) {
    it(`${name} takes the described members, and no others`, async () => {
      const [method = '', path = ''] = name.split(' ');
      const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      const sample = await make(http);
      const inPath = [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter);
      const inQuery = [...new URL(sample.path, 'http://x').searchParams.keys()];
      const described = (place: string): readonly (string | undefined)[] =>
        operation?.parameters.filter((parameter) => parameter.in === place).map((parameter) => parameter.name) ?? [];
      expect(described('path')).to.deep.equal(inPath);
      expect(described('query')).to.include.members(inQuery);
      const body = operation?.requestBody;
      expect(body === undefined, 'a body is described').to.equal(method === 'GET');
      if (body === undefined || sample.body === undefined) return;
      const { schema } = body.content['application/json'];
      expect(validate(schema, sample.body)).to.deep.equal([]);
      expect(validate(schema, { ...sample.body, unknown: 1 })).not.to.deep.equal([]);
      expect(validate(schema, {}).length === 0, 'an empty body is described as good').to.equal(!body.required);
    });
  }

  for (const [name, { example }] of Object.entries(OPERATIONS)) {
    // A processor signs its notifications, so that no text of ours is accepted unsigned.
    if (example === undefined || name.startsWith('POST /webhooks/')) continue;
    it(`${name} takes the body that is shown for it`, async () => {
      const sample = await SAMPLES[name]?.(http);
      if (sample === undefined) throw new Error(`there is no sample for ${name}`);
      // Only tokens are the caller's own.
      const own = Object.fromEntries(
        Object.entries(sample.body ?? {}).filter(
          ([member]) => member in example && /^(clientToken|paymentMethodToken|resumeToken)$/.test(member),
        ),
      );
      const [method = ''] = name.split(' ');
      const credentials: Record<string, string> =
        sample.token === undefined ? { 'X-Api-Key': http.shop.key } : { 'X-Client-Token': sample.token };
      const { status, body } = await http.request(method, sample.path, { headers: credentials, body: { ...example, ...own } });
      expect(status, JSON.stringify(body)).to.equal(200);
    });
  }
});
