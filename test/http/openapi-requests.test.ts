// The description of requests: each endpoint takes the requests that /openapi.json describes, and no others.
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { z } from 'zod';
import { guardedRoutes, nameOf, sampleOf } from '../support/http-samples.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const Document = z.looseObject({
  components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        parameters: z.array(
          z.looseObject({ name: z.string().optional(), in: z.string().optional(), required: z.boolean().optional() }),
        ),
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
      const check = ajv.compile(
        JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi.json#/components/')),
      );
      return check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    };
  });
  after(() => http.stop());

  for (const route of guardedRoutes) {
    const name = nameOf(route);
    const { method, path, description, bodyKind } = route;

    it(`${name} takes the described members, and no others`, async () => {
      const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      const sample = await sampleOf(route, http);
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

    // A processor signs its notifications, so that no text of ours is accepted unsigned.
    if (bodyKind !== 'json' || description.example?.body === undefined) continue;
    it(`${name} takes the body that is shown for it`, async () => {
      const sample = await sampleOf(route, http, description.example?.body);
      const by = sample.token === undefined ? { key: http.shop.key } : { token: sample.token };
      const { status, text } = await http.request(method, sample.path, { ...by, body: sample.body });
      expect(status, text).to.equal(200);
    });
  }
});
