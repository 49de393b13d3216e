// Everything that documents, comments and titles mention exists: sections, headings, files, links, commands.
import { expect } from 'chai';
import { z } from 'zod';
import { program } from '../../src/cli/program.ts';
import { allPaths, readPage } from './pages.ts';
import { brokenReferences, type Repository, sectionsOf } from './references.ts';
import { typed } from './typed-command.ts';

const PATHS = allPaths();
const isPage = (path: string): boolean => path.endsWith('.md') && !path.startsWith('test/');
const isSource = (path: string): boolean =>
  /^(?:client\/src|src|test|bench)\/.*\.ts$/.test(path) && !path.startsWith('test/docs/');

const repository: Repository = {
  paths: new Set(PATHS),
  textOf: (path) => (PATHS.includes(path) ? readPage(path).text : undefined),
  scripts: new Set(
    Object.keys(
      z.looseObject({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(readPage('package.json').text))
        .scripts,
    ),
  ),
  commands: new Set(program().commands.map((command) => command.name())),
  checkCommand: (line) => void typed(line),
};

describe('what the documents mention', () => {
  for (const path of PATHS.filter(isPage))
    it(`is there, as far as ${path} goes`, () =>
      expect(brokenReferences(readPage(path), repository)).to.deep.equal([]));
});

describe('what the code mentions', () => {
  const sources = PATHS.filter(isSource).map(readPage);

  it('is there', () => {
    expect(sources.length).to.be.above(300);
    expect(sources.flatMap((page) => brokenReferences(page, repository))).to.deep.equal([]);
  });

  it('is the contract, by its sections', () => {
    expect(sources.flatMap(({ text }) => [...text.matchAll(/contract §/gi)]).length).to.be.above(150);
    const numbers = Array.from({ length: 13 }, (_, index) => String(index + 1));
    const found = numbers.map((number) => sectionsOf('contract', number, repository).map(({ heading }) => heading));
    expect(found.filter((headings) => headings.length !== 1)).to.deep.equal([]);
  });
});

describe('the finder of broken references', () => {
  const TEXTS: { readonly [path: string]: string } = {
    'docs/contract.md': '# API\n\n## 1. Conventions\nMoney.\n\n## 2. Keys\n\n### The table\n',
    'docs/contract/payments.md': '# 4. Payments\nStatus.\n\n## Facts\n\n## 2. Keys again\n',
  };
  const small: Repository = {
    paths: new Set([
      'README.md',
      'docs',
      'docs/a.md',
      'docs/contract.md',
      'docs/contract',
      'docs/contract/payments.md',
      'docs/adr',
      'docs/adr/0003-random-ids.md',
      'src/world.ts',
      'src',
    ]),
    textOf: (path) => TEXTS[path] ?? '',
    scripts: new Set(['check', 'test']),
    commands: repository.commands,
    checkCommand: repository.checkCommand,
  };
  const inDocs = (text: string): readonly string[] => brokenReferences({ path: 'docs/a.md', text }, small);
  const inCode = (text: string): readonly string[] => brokenReferences({ path: 'src/a.ts', text }, small);

  const SOUND: readonly string[] = [
    'As contract §1 and contract §§1, 4 and Contract §1 say (contract §1, "Money", contract §4, "Status").',
    'See contract, "Facts" and [a payment](contract/payments.md#4-payments).',
    'See ADR 3, ADR-0003, [the keys](contract.md#2-keys), [a table](#here) and https://example.com/docs/x.md.\n## Here\n',
    'In `src/world.ts`, world.ts and `docs/`; all `src/**/*.ts`.',
    'Run `npm run check`, `npm test`, `npm ci`, `npx counterfoil payments show pay_1` and `counterfoil serve --port 0`.',
    '<!-- makes: src/processors/nimbus/ -->\nWrite `src/processors/nimbus/nimbus.ts`.',
    '```sh\n[no link](nowhere.txt)\n```',
    "```ts\n// src/b.ts\nimport '../c.ts';\n```\n",
    "```ts\nimport { a } from './a-snippet.ts';\n```\n```diff\n+import type { B } from '../another.ts';\n```",
  ];
  for (const text of SOUND) it(`takes ${text.replaceAll('\n', ' ')}`, () => expect(inDocs(text)).to.deep.equal([]));

  const BROKEN: { readonly [text: string]: string } = {
    'contract §3': 'docs/contract.md has no section 3',
    'Contract §§1–3': 'docs/contract.md has no section 3',
    'contract §2': 'docs/contract.md has more than one section 2',
    'contract §1, "Honey"': 'docs/contract.md does not say "Honey"',
    'contract §4, "Money"': 'docs/contract/payments.md does not say "Money"',
    'as §1 says': '§1 says not of which document; write "contract §1"',
    'contract, "The chair"': 'docs/contract.md has no heading "The chair"',
    'ADR 4': 'there is no decision 4 in docs/adr',
    'src/wold.ts': 'there is no src/wold.ts',
    'the folder `src/utils/`': 'there is no src/utils',
    'wold.ts': 'there is no wold.ts',
    '[a](nowhere.md)': 'there is no nowhere.md',
    '[a](LICENCE)': 'the link LICENCE leads to no file',
    '[a](contract.md#3-more)': 'the link contract.md#3-more leads to no heading',
    '`npm run chekc`': 'there is no npm run chekc',
    '`npm tset`': 'there is no npm tset',
    '`npx counterfoil pay`': 'pay: there is no command pay',
    'the `projections mend` of a read model': 'projections mend: there is no command projections mend',
    '`counterfoil serve --prot 1`': 'serve --prot 1: no flag --prot',
  };
  for (const [text, fault] of Object.entries(BROKEN))
    it(`finds ${text} on a page`, () => expect(inDocs(text)).to.include(`docs/a.md: ${fault}`));

  it('finds commands in the messages of code', () => {
    expect(inCode("fail('Put it back, or run `counterfoil projections mend --all`.')")).to.deep.equal([
      'src/a.ts: projections mend --all: there is no command projections mend',
    ]);
    expect(inCode("fail('Put it back, or run `counterfoil projections rebuild --all`.')")).to.deep.equal([]);
  });

  it('finds sections everywhere in code, and files in its comments alone', () => {
    expect(
      inCode(
        "// as wold.ts does\nit('follows contract §7', () => read('src/none.ts'));\n/** See src/gone.ts (ADR 9). */",
      ),
    ).to.deep.equal([
      'src/a.ts: docs/contract.md has no section 7',
      'src/a.ts: there is no decision 9 in docs/adr',
      'src/a.ts: there is no src/gone.ts',
      'src/a.ts: there is no wold.ts',
    ]);
  });
});
