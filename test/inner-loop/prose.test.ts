// The patterns of `npm run check` for prose: a text with a habit fails at its line, one without passes.
import { expect } from 'chai';
import { HABITS, isProse, wordsToMend } from './prose.ts';

const BAD: readonly (readonly [text: string, instead: string])[] = [
  ['// It surely never left.', 'definitely'],
  ['// True for every node, also after a restart.', 'even if'],
  ['/** Of the dashboard. */', 'noun phrase'],
  ['// The follower begins anew.', 'again'],
  ['// It is not known what became of the capture.', 'the outcome of'],
  ['// It counts for the very next request.', 'next'],
  ['// The token is kept, else the session waits.', 'otherwise'],
  ['// A change of a key holds for its next request.', 'applies'],
  ['// A payment that there is not.', 'exists'],
  ['// A declined card is no error.', 'is not a'],
  ['// All cards stand in the table.', 'is listed'],
  ['// The payment fails by itself.', 'automatically'],
  ['// It is compared with the version before.', 'previous'],
  ["// It is settled by the processor's word.", 'report'],
  ['// The webhook tells of a dispute.', 'reports'],
  ['// The time when the payment was made.', 'created'],
  ['// It can take no effect any more.', 'no longer'],
  ['// It can not be undone.', 'cannot'],
  ['// The page asks a password.', 'asks for'],
];

const GOOD: readonly string[] = [
  '// The request provably never reached the processor. It applies to every node, including new ones.',
  '// The previous version is no longer there, and there is no other.',
  '// if (a) { b } else { c }',
  '// A person told it to stop. The page asks for a password, and stands in the way of nothing.',
  `const code = '${'x'.repeat(120)}';`,
];

describe('prose', () => {
  it('has a text for each habit', () => {
    for (const [habit, instead] of HABITS)
      expect(BAD.filter(([text]) => habit.test(text)).length, `${habit.source}: ${instead}`).to.be.above(0);
  });

  for (const [text, instead] of BAD)
    it(`finds the habit in ${text}`, () => {
      const found = wordsToMend('src/a.ts', `\n${text}\n`);
      expect(found).to.have.length(1);
      expect(found[0])
        .to.match(/^src\/a\.ts:2: ".+": write /)
        .and.to.include(instead);
    });

  for (const text of GOOD)
    it(`finds none in ${text.slice(0, 60)}`, () => expect(wordsToMend('src/a.ts', text)).to.deep.equal([]));

  it('finds a comment of more than 120 characters, on a line of its own and after code', () => {
    const long = 'x'.repeat(120);
    for (const text of [`// ${long}`, `  /** ${long} */`, ` * ${long}`, `stop(); // ${long}`])
      expect(wordsToMend('src/a.ts', text).join(), text).to.include(`${text.length} characters: at most 120`);
  });

  it('leaves out what a page in Markdown has in quotation marks, and the length of its lines', () => {
    expect(wordsToMend('a.md', `Never "surely". ${'x'.repeat(120)}`)).to.deep.equal([]);
    expect(wordsToMend('a.md', 'Surely.')).to.have.length(1);
  });

  it('is in pages, code and comments, and not in decisions', () => {
    expect(['deploy/README.md', 'deploy/a.ts', 'deploy/a.tsx'].filter(isProse)).to.have.length(3);
    expect(['docs/adr/0001-a.md', 'docs/specification.md', 'deploy/a.png'].filter(isProse)).to.deep.equal([]);
  });
});
