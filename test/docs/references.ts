// Finds in a page, or in a source file, what it mentions and the repository does not have: sections, headings, files,
// links, commands.
import { dirname, posix } from 'node:path';
import { anchorOf, headingsOf, type Page, withoutFences, withoutMarked } from './pages.ts';

export interface Repository {
  /** Files and folders, without a slash at the end. */
  readonly paths: ReadonlySet<string>;
  /** A page's text; undefined if there is none. */
  readonly textOf: (path: string) => string | undefined;
  /** The scripts of package.json. */
  readonly scripts: ReadonlySet<string>;
  /** The first words of the program's commands. */
  readonly commands: ReadonlySet<string>;
  /** Throws for a command line, without its `counterfoil`, that names an unknown command or flag. */
  readonly checkCommand: (line: string) => void;
}

/** The documents that are mentioned by name: the first page of each, and the folder of its further pages. */
const NAMED = {
  contract: { first: 'docs/contract.md', folder: 'docs/contract/' },
  specification: { first: 'docs/specification.md', folder: undefined },
  architecture: { first: 'docs/architecture.md', folder: undefined },
} as const;
const isNamed = (name: string): name is keyof typeof NAMED => name in NAMED;

const pagesOf = (name: keyof typeof NAMED, { paths, textOf }: Repository): readonly Page[] => {
  const { first, folder } = NAMED[name];
  const further = [...paths].filter((path) => folder !== undefined && path.startsWith(folder)).sort();
  return [first, ...further].map((path) => ({ path, text: textOf(path) ?? '' }));
};

/** The numbered headings of a document: the pages and headings that "contract §4" leads to; one, if all is well. */
export function sectionsOf(
  name: keyof typeof NAMED,
  number: string,
  repository: Repository,
): readonly (Page & { readonly heading: string })[] {
  return pagesOf(name, repository).flatMap((page) =>
    headingsOf(page.text)
      .filter((heading) => heading.startsWith(`${number}. `))
      .map((heading) => ({ ...page, heading })),
  );
}

/** Each fault a sentence, with the page's path. */
export function brokenReferences(page: Page, repository: Repository): readonly string[] {
  const isCode = page.path.endsWith('.ts');
  const prose = isCode ? commentsIn(page.text) : page.text;
  const made = [...page.text.matchAll(/<!-- makes: (.+?) -->/g)].flatMap(([, paths = '']) => paths.split(/[ ,]+/));
  return [
    ...sections(page.text, repository),
    ...decisions(prose, repository),
    ...files(isCode ? prose : withoutSnippets(prose), page.path, repository, made),
    ...commands(withoutMarked(prose), repository),
    ...(isCode ? typedIn(page.text, MESSAGE, repository) : []),
    ...(isCode ? [] : links(page, repository)),
  ].map((fault) => `${page.path}: ${fault}`);
}

/**
 * Without the snippets and the commands of a guide, which tests compile and run: snippets.test.ts,
 * guide-commands.test.ts.
 */
const withoutSnippets = (text: string): string => text.replaceAll(/^```(?:ts|diff|sh run)\n[\s\S]*?^```$/gm, '');

/**
 * Comments of TypeScript, with a blank for what is none. A `//` in a text is taken for one too, which finds too much,
 * never too little.
 */
const commentsIn = (text: string): string =>
  [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<![:\w])\/\/[^\n]*/g)].map(([comment]) => comment).join('\n');

const SECTION = /(?:(?<name>\w+) )?§§? ?(?<numbers>\d+(?:(?:, | and |–| to )\d+)*)(?:, "(?<quoted>[^"]+)")?/g;
const HEADING = /\b(?<name>architecture|contract|specification)(?:\.md)?, "(?<quoted>[^"]+)"/gi;

function* sections(text: string, repository: Repository): Generator<string> {
  for (const { groups: { name = '', numbers = '', quoted } = {} } of text.matchAll(SECTION)) {
    const document = name.toLowerCase();
    if (!isNamed(document)) yield `§${numbers} says not of which document; write "contract §${numbers}"`;
    else {
      const { first } = NAMED[document];
      const found = expanded(numbers).map((number) => ({ number, at: sectionsOf(document, number, repository) }));
      for (const { number, at } of found)
        if (at.length !== 1) yield `${first} has ${many(at.length)} section ${number}`;
      const says = found.some(({ at }) => at.some((page) => quoted === undefined || page.text.includes(quoted)));
      if (quoted !== undefined && !says) yield `${found[0]?.at[0]?.path ?? first} does not say "${quoted}"`;
    }
  }
  for (const { groups: { name = '', quoted = '' } = {} } of text.matchAll(HEADING)) {
    const document = name.toLowerCase();
    if (isNamed(document) && !pagesOf(document, repository).some((page) => headingsOf(page.text).includes(quoted)))
      yield `${NAMED[document].first} has no heading "${quoted}"`;
  }
}

const many = (count: number): string => (count === 0 ? 'no' : 'more than one');

/** `3–5` is 3, 4 and 5. */
const expanded = (numbers: string): readonly string[] =>
  numbers.split(/, | and /).flatMap((part) => {
    const [first = 0, last = first] = part.split(/–| to /).map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
  });

function* decisions(text: string, { paths }: Repository): Generator<string> {
  for (const [, number = ''] of text.matchAll(/\bADR[ -](\d+)\b/g)) {
    const found = [...paths].some((path) => Number(/^docs\/adr\/(\d+)-/.exec(path)?.[1]) === Number(number));
    if (!found) yield `there is no decision ${number} in docs/adr`;
  }
}

/** Under these, a text is a path of the repository whatever its end. */
const ROOTED = /(?<![\w./:@*-])(?:src|test|bench|deploy|docs|\.ci)\/[\w.*/-]*/g;
/** Elsewhere, what ends like one of its files. */
const FILE = /(?<![\w./:@*{}$-])[\w.-][\w./-]*\.(?:ts|mjs|md|json|grit|cfg|yml)\b(?![\w/*-]|\.\w)/g;
/** The path of a URL that begins like a folder, and files that a reader is told to make. */
const ELSEWHERE: ReadonlySet<string> = new Set(['docs/api', 'faults.json', 'otel.mjs', 'rules.json']);

function* files(text: string, from: string, { paths }: Repository, made: readonly string[]): Generator<string> {
  const named = [...text.matchAll(ROOTED), ...text.matchAll(FILE)].map(([path]) => path.replace(/[./]+$/, ''));
  const isThere = (path: string): boolean => {
    const beside = posix.normalize(posix.join(dirname(from), path));
    return (
      paths.has(path) || paths.has(beside) || (!isRooted(path) && [...paths].some((one) => one.endsWith(`/${path}`)))
    );
  };
  for (const path of new Set(named)) {
    if (path.includes('*') || ELSEWHERE.has(path) || made.some((one) => path.startsWith(one.replace(/\/$/, ''))))
      continue;
    if (!isThere(path)) yield `there is no ${path}`;
  }
}

const isRooted = (path: string): boolean => /^(?:src|test|bench|deploy|docs|\.ci)\//.test(path);

function* links({ path, text }: Page, { paths, textOf }: Repository): Generator<string> {
  for (const [, target = ''] of withoutFences(text).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [file = '', anchor] = target.split('#');
    const resolved = file === '' ? path : posix.normalize(posix.join(dirname(path), file)).replace(/\/$/, '');
    const anchors = headingsOf((resolved === path ? text : textOf(resolved)) ?? '').map(anchorOf);
    if (!paths.has(resolved)) yield `the link ${target} leads to no file`;
    else if (anchor !== undefined && !anchors.includes(anchor)) yield `the link ${target} leads to no heading`;
  }
}

/** The commands of npm that are not scripts. */
const OF_NPM: ReadonlySet<string> = new Set(['pack', 'ci', 'i', 'install']);
/** Where a line that somebody types begins. */
const TYPED = '(?:`|^|&& |\\$ )';
const NPM = new RegExp(`${TYPED}npm (run )?([a-z][\\w:-]*)`, 'gm');
const COUNTERFOIL = new RegExp(`(?:npx |${TYPED})counterfoil ([a-z][^\`\\n#|]*)`, 'gm');
/** In messages of the code: after a backtick or a colon. */
const MESSAGE = /(?:`|: |npx )counterfoil ([a-z]+[^`\\'"$\n#|<]*)/g;
/** A command without the program's name: two words at least, the first of them a command's. */
const BARE = /`([a-z]+ [a-z-][^`\n]*)`/g;

function* commands(text: string, { scripts, commands: known, checkCommand }: Repository): Generator<string> {
  for (const [, run, script = ''] of text.matchAll(NPM))
    if (!scripts.has(script) && (run !== undefined || !OF_NPM.has(script)))
      yield `there is no npm ${run ?? ''}${script}`;
  yield* typedIn(text, COUNTERFOIL, { checkCommand });
  const bare = [...text.matchAll(BARE)].filter(([, line = '']) => known.has(line.split(' ')[0] ?? ''));
  yield* typedIn(bare.map(([whole]) => whole).join('\n'), BARE, { checkCommand });
}

function* typedIn(
  text: string,
  pattern: RegExp,
  { checkCommand }: Pick<Repository, 'checkCommand'>,
): Generator<string> {
  for (const [, line = ''] of text.matchAll(pattern)) {
    try {
      checkCommand(line.trim().replace(/ --help$/, ''));
    } catch (fault) {
      yield String(fault instanceof Error ? fault.message : fault);
    }
  }
}
