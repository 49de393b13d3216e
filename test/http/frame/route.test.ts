// A route's definition ties its schemas to its handler: the mistakes that the compiler must refuse, and the data of a
// route.
import { expect } from 'chai';
import { z } from 'zod';
import { found, route } from '../../../src/http/route.ts';

const Answer = z.strictObject({ name: z.string() });
const common = {
  method: 'POST',
  path: '/x',
  scope: 'client_tokens:write',
  summary: 'x',
  tag: 'x',
  answer: Answer,
} as const;
const body = z.strictObject({ amount: z.int() });

/** Never called: the errors that are expected here are the compiler's. */
const typeTests = (): unknown => [
  // @ts-expect-error an answer of another shape
  route({ ...common, request: z.object({ body }), handle: () => found({ title: 'a' }) }),
  // @ts-expect-error a member that the request has not
  route({ ...common, request: z.object({ body }), handle: (request) => found({ name: request.body.title }) }),
  // @ts-expect-error a scope that does not exist
  route({ ...common, scope: 'payments:write', request: z.object({ body }), handle: () => found({ name: 'a' }) }),
];

void typeTests;

describe('a route', () => {
  const define = (request: z.ZodObject) => route({ ...common, request, handle: () => found({ name: 'a' }) });

  it('names its body by the schema, or by the summary', () => {
    expect(define(z.object({ body: body.meta({ id: 'AmountOfX' }) })).model).to.equal('AmountOfX');
    expect(define(z.object({ body })).model).to.equal('POST /x');
  });

  it('closes the parts that it does not name', () => {
    expect(Object.keys(define(z.object({})).description.request.shape)).to.have.members(['query', 'body']);
    const open = route({
      ...common,
      method: 'GET',
      scope: 'public',
      request: z.object({}),
      handle: () => found({ name: 'a' }),
    });
    expect(Object.keys(open.description.request.shape)).to.deep.equal([]);
  });
});
