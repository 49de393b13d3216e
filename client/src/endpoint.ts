// The endpoints of the API as types: their parameters, bodies and resources, taken from the generated description.
import type { components, paths } from './api-types.ts';

type DryRun = components['schemas']['DryRun'];

/** A method and a path of the API, such as `GET /payments/{id}`. */
export type Endpoint = {
  [Path in keyof paths & string]: {
    [Method in keyof paths[Path] & string]-?: paths[Path][Method] extends Described
      ? `${Uppercase<Method>} ${Path}`
      : never;
  }[keyof paths[Path] & string];
}[keyof paths & string];

interface Described {
  readonly responses: object;
}

type OperationOf<At extends Endpoint> = At extends `${infer Method} ${infer Path extends keyof paths & string}`
  ? paths[Path][Lowercase<Method> & keyof paths[Path]]
  : never;

/** The parameters in the path and the query, and the body, each as required as the API requires it. */
export type Sent<At extends Endpoint> = ParametersOf<OperationOf<At>> & BodyOf<OperationOf<At>>;

type ParametersOf<Operation> = Operation extends { readonly parameters: infer All }
  ? Pick<All, keyof All & ('path' | 'query')>
  : object;

type BodyOf<Operation> = Operation extends { readonly requestBody: { content: { 'application/json': infer Body } } }
  ? { readonly body: Body }
  : Operation extends { readonly requestBody?: { content: { 'application/json': infer Body } } }
    ? { readonly body?: Body }
    : object;

type BodyOf200<At extends Endpoint> =
  OperationOf<At> extends {
    readonly responses: { readonly 200: { content: { readonly 'application/json': infer Resource extends object } } };
  }
    ? Resource
    : never;

/** The body of the endpoint's 200, when it is not tried out. */
export type ResourceOf<At extends Endpoint> = Exclude<BodyOf200<At>, DryRun>;

/** The endpoints that can be tried out with `dryRun`. */
export type DryEndpoint = {
  [At in Endpoint]: Extract<BodyOf200<At>, DryRun> extends never ? never : At;
}[Endpoint];

/** Any request, as it is written down before its parameters are in the URL. */
export interface AnySent {
  readonly path?: { readonly [name: string]: string };
  readonly query?: { readonly [name: string]: unknown };
  readonly body?: unknown;
}

const ID = /^[A-Za-z0-9_-]+$/;

/**
 * The path with its ids and query. A list is a parameter that repeats. Throws TypeError for an id that is empty or has
 * a slash, because it would be another endpoint.
 */
export function targetOf(path: string, { path: ids = {}, query = {} }: AnySent): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name] ?? '';
    if (!ID.test(id)) throw new TypeError(`${JSON.stringify(id)} is not an id`);
    return id;
  });
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(
      (one) => `${name}=${encodeURIComponent(String(one))}`,
    ),
  );
  return parameters.length === 0 ? filled : `${filled}?${parameters.join('&')}`;
}
