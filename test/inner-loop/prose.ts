// How we write (CONTRIBUTING, "Prose"), as patterns: each names what a line says and what to say instead.

/** Dated records, the specification that we were given, and the files that show wrong words on purpose. */
const EXEMPT = /^docs\/adr\/|^docs\/specification\.md$|^test\/inner-loop\/prose(?:\.test)?\.ts$/;
const TEXT = /\.(?:ts|tsx|mjs|cjs|js|html|css|md|grit)$/;
const LONGEST = 120;
/** A comment on a line of its own, or after code. The formatter keeps code itself to its width. */
const COMMENT = /^\s*(?:\/\/|\/?\*)|[;,{}()[\]>] \/\/ /;

const EARLIER =
  'event|outcome|attempt|payment|answer|call|page|one|revision|capture|authorization|message|period|version|document|step|position|generation';

/** Each found text, and what to write in its place. */
export const HABITS: readonly (readonly [found: RegExp, instead: string])[] = [
  [/\b[Ss]urely\b/, 'definitely, provably or certainly'],
  [/, also (?:where|when|if|of|after|for|in|by|with|on|as|to|while)\b/, 'even if, or including'],
  [/(?:\/\*\* |\/\/ )Of (?:a|an|the|its|each|one|those|what|every)\b/, 'a noun phrase: what the thing is'],
  [/\banew\b/, 'again'],
  [/\bwhat (?:became|becomes|has become|had become|comes|came) of\b/, 'the outcome of'],
  [/\bvery next\b/, 'next, or immediately'],
  [/, else (?!if\b|\{)[a-z`]/, 'otherwise, in a sentence of its own'],
  [/\bholds? (?:for (?:the|every|each|all|its)|at once|there at once)\b/, 'applies, or takes effect'],
  [
    /\bthat there (?:is|are|was|were)(?: not)?(?=[.,;:)'*]|$)|\bthat is there\b|\bwhat there is\b/,
    'exists, or does not exist',
  ],
  [
    /(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|later\b|newer\b|older\b|one\b|such\b)[a-z]+/,
    'is not a, or are not',
  ],
  [
    /\b(?:stands?|stood) (?:under|below|beside|here|there|nowhere|before|inside|among|in the (?!way)|in `|at the|behind)/,
    'is, appears or is listed',
  ],
  [/\bby (?:itself|themselves)\b/, 'automatically, on its own or separately'],
  [new RegExp(`\\b(?:${EARLIER}) before(?= is\\b| was\\b| has\\b|[.,;:\`']| \\*/)`), 'the previous …'],
  [
    /\b(?:processor|operator|person|issuer|bank)(?:.s|’s) (?:own )?word\b|\b[Ll]ast word\b|\bby the word of\b/,
    'report, response or confirmation',
  ],
  [
    /\b(?<!const )tells? (?:later|how|when|whether|of|it\b(?! to))|\b(?:is|are|was|were) told (?:of|it)\b/,
    'reports, says or notifies',
  ],
  [/\b(?:payment|session|key|account|token|link|store|refund|it) (?:was|is|were|are) made\b/, 'was created'],
  [/\bno(?:thing|body)?\b[^.]{0,40}\bany more\b|\bnot\b[^.]{0,30}\bany more\b/, 'no longer'],
  [/\bcan not\b/, 'cannot'],
  [/\basks? (?:an?|the|your|its) (?:e-mail|password|code|name)\b/, 'asks for'],
];
const ANY = new RegExp(HABITS.map(([found]) => found.source).join('|'), 'm');

/** One line for each habit that the text has, as `path:line: "what it says": what to write`. */
export function wordsToMend(path: string, text: string): readonly string[] {
  const isCode = !path.endsWith('.md');
  return text.split('\n').flatMap((line, index) => {
    // Quotation marks of a page in Markdown show words; they do not use them.
    const said = isCode ? line : line.replaceAll(/"[^"]*"/g, '""');
    const isLong = isCode && line.length > LONGEST && COMMENT.test(line);
    if (!isLong && !ANY.test(said)) return [];
    const place = `${path}:${index + 1}`;
    const habits = HABITS.flatMap(([found, instead]) => {
      const [what] = found.exec(said) ?? [];
      return what === undefined ? [] : [`${place}: "${what}": write ${instead}`];
    });
    return isLong ? [...habits, `${place}: ${line.length} characters: at most ${LONGEST}`] : habits;
  });
}

/** Whether the prose of this file is checked. */
export const isProse = (path: string): boolean => TEXT.test(path) && !EXEMPT.test(path);
