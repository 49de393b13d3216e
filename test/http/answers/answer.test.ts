// What an answer is built of: its schema, a document, and the members that the document does not have.
import { expect } from 'chai';
import { z } from 'zod';
import { answer, unlessEmpty } from '../../../src/http/answers/answer.ts';
import { Instant } from '../../../src/http/answers/shapes.ts';

const Shown = z.strictObject({
  id: z.string(),
  at: Instant,
  name: z.string().optional(),
  endedAt: Instant.nullable(),
  codes: z.array(z.string()).optional(),
});

interface Named {
  readonly name?: string;
}

/** Never called: the errors that are expected here are the compiler's. */
const typeTests = (): unknown => [
  // @ts-expect-error a member that nothing has
  answer(Shown, { at: 1 }),
  // @ts-expect-error a member that nothing has, beside others that are given
  answer(Shown, { at: 1 }, { name: 'a' }),
  // @ts-expect-error an optional member of another type, which must not go out
  answer(Shown, { id: 'a', at: 1, name: 7 }),
  // @ts-expect-error a member that only some of the documents have, and of another type
  answer(Shown, { id: 'a', at: 1 } as { id: string; at: number } | { id: string; at: number; codes: number }),
  // @ts-expect-error a required member that the document may not have
  answer(z.strictObject({ name: z.string() }), {} as Named),
  // @ts-expect-error a member that the answer does not have
  answer(Shown, { id: 'a', at: 1 }, { title: 'a' }),
];
void typeTests;

describe('an answer', () => {
  it('has the members of its schema, in their order, and no others of the document', () => {
    const document = { secret: 's', name: 'a', at: 0, id: 'one' };
    expect(JSON.stringify(answer(Shown, document))).to.equal(
      '{"id":"one","at":"1970-01-01T00:00:00.000Z","name":"a","endedAt":null}',
    );
  });

  it('has what is given in place of what the document has, even if that is undefined', () => {
    const given = answer(Shown, { id: 'one', at: 0, name: 'a' }, { at: 1, name: undefined });
    expect(given).to.deep.equal({ id: 'one', at: '1970-01-01T00:00:00.001Z', endedAt: null });
  });

  it('has a time in ms, or its text, as text', () => {
    const ended = '1970-01-01T00:00:00.002Z';
    expect(answer(Shown, { id: 'one', at: 0 }, { endedAt: 2 })).to.include({ endedAt: ended });
    expect(answer(Shown, { id: 'one', at: 0 }, { endedAt: ended })).to.include({ endedAt: ended });
  });

  it('leaves an empty list out where it is told so', () => {
    expect(answer(Shown, { id: 'one', at: 0 }, { codes: unlessEmpty([]) })).not.to.have.property('codes');
    expect(answer(Shown, { id: 'one', at: 0 }, { codes: unlessEmpty(['a']) })).to.deep.include({ codes: ['a'] });
    expect(answer(Shown, { id: 'one', at: 0, codes: [] })).to.deep.include({ codes: [] });
  });
});
