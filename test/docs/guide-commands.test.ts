// The commands of the guides are run as a reader pastes them, in one shell a page, against a real service; what they
// print is what the page shows.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { quickMain } from '../cli/built.ts';
import { firstKeyIn, Place, type Serving } from '../cli/processes.ts';
import { isShown, scriptOf, stepsOf } from './guide-commands.ts';
import { allPaths, readPage } from './pages.ts';

const run = promisify(execFile);
/** Where the guides say that the service is. */
const WRITTEN = 'http://127.0.0.1:4000';
const GUIDES = allPaths().filter(
  (path) => /^(README|docs\/(guides\/)?[\w-]+)\.md$/.test(path) && stepsOf(readPage(path).text).length > 0,
);

describe('the commands of the guides', () => {
  const place = new Place();
  let serving: Serving;
  before(async () => {
    serving = await place.serve('--rate-limit 0');
  });
  after(() => place.remove());

  it('stand on the pages that people begin with', () => {
    expect(GUIDES).to.include.members([
      'README.md',
      ...['first-payment', 'dashboard', 'testing', 'going-live', 'how-it-works'].map(
        (name) => `docs/guides/${name}.md`,
      ),
    ]);
  });

  for (const path of GUIDES)
    it(`print what ${path} shows`, async () => {
      const steps = stepsOf(readPage(path).text);
      const prelude = [
        `npx() { [ "$1" = counterfoil ] && shift && "${process.execPath}" "${quickMain()}" "$@"; }`,
        `KEY=${firstKeyIn(serving.stdout())}`,
      ];
      const script = scriptOf(steps, prelude.join('\n')).replaceAll(WRITTEN, serving.url);
      await run('bash', ['-c', script], { cwd: place.dir, env: plainEnvironment() });
      const read = (name: string): string => readFileSync(join(place.dir, name), 'utf8');
      steps.forEach(({ commands, output }, at) => {
        const printed = read(`out.${at}`).replaceAll(serving.url, WRITTEN);
        expect(read(`code.${at}`).trim(), `${commands}${printed}${read(`err.${at}`)}`).to.equal('0');
        if (output !== undefined && !isShown(printed, output))
          expect(printed, `${commands}${read(`err.${at}`)}`).to.equal(output);
      });
    });
});

/** Without settings of the service, and without what mocha hands to its children. */
const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !name.startsWith('COUNTERFOIL_') && name !== 'NODE_OPTIONS' && name !== 'KEY',
    ),
  );

describe('the reader of commands', () => {
  const page = (...fences: readonly (readonly [string, string])[]): string =>
    fences.map(([info, body]) => `\`\`\`${info}\n${body}\`\`\`\n`).join('\nWords.\n');

  it('takes the blocks that are marked, each with the output under it', () => {
    expect(
      stepsOf(page(['sh', 'npm ci\n'], ['sh run', 'a\n'], ['text output', 'b\n'], ['sh run', 'c\n'])),
    ).to.deep.equal([
      { commands: 'a\n', output: 'b\n' },
      { commands: 'c\n', output: undefined },
    ]);
  });

  it('refuses an output without commands', () => {
    expect(() => stepsOf(page(['json output', '{}\n']))).to.throw(/has no commands/);
  });

  it('takes … for anything, and all else for itself', () => {
    expect(isShown('pay_1 is (SETTLED)\n', 'pay_… is (SETTLED)\n')).to.equal(true);
    expect(isShown('pay_1 is (DECLINED)\n', 'pay_… is (SETTLED)\n')).to.equal(false);
    expect(isShown('one\ntwo\n', 'one\n')).to.equal(false);
  });
});
