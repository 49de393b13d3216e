// Holds every answer against the description: the status must be described for the operation, and the body must match
// its schema.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Operation {
  readonly responses: {
    readonly [status: string]: { readonly content?: { readonly [type: string]: { readonly schema?: object } } };
  };
}
export interface Document {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly schemas: { readonly [name: string]: object } };
}

/** Objects are closed for this: no member of an answer may be undescribed, although clients have to accept new ones. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  return typeof copy['properties'] === 'object' && copy['type'] === 'object'
    ? { additionalProperties: false, ...copy }
    : copy;
};

/**
 * The faults of an answer, in words; empty if it is as described. `path` is the route's own, with `:name` for
 * parameters.
 */
export type Conformity = (method: string, path: string, status: number, body: unknown) => readonly string[];

const DOCUMENT = 'openapi.json';

export function conformityTo(document: Document): Conformity {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  // ajv-formats is CommonJS; its types name the function as the module's default export.
  formats.default(ajv);
  ajv.addSchema({ $id: DOCUMENT, components: closed(document.components) });
  const compiled = new Map<string, ValidateFunction>();
  return (method, path, status, body) => {
    const name = path.replaceAll(/:(\w+)/g, '{$1}');
    const operation = document.paths[name]?.[method.toLowerCase()];
    if (operation === undefined) return [`${method} ${path} is not described`];
    const described = operation.responses[status];
    if (described === undefined) return [`${method} ${path} is not described to answer ${status}`];
    const schema = described.content?.['application/json']?.schema;
    if (schema === undefined) return [];
    const key = `${method} ${name} ${status}`;
    const validate = compiled.get(key) ?? ajv.compile(rebased(closed(schema)));
    compiled.set(key, validate);
    if (validate(body)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${key}: ${instancePath} ${message}`);
  };
}

/** The schema with references that work outside the document. */
const rebased = (schema: unknown): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', `"${DOCUMENT}#/components/`));
