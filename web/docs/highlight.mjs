// Colours for the code of a page: comments, texts, numbers and words of shell, JSON, TypeScript and Python, in one pass
// each.

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** @param {string} text */
export const escapeHtml = (text) =>
  text.replaceAll(/[&<>"]/g, (sign) => ESCAPES[/** @type {keyof typeof ESCAPES} */ (sign)]);

const STRING = String.raw`"(?:\\.|[^"\\\n])*"|'[^'\n]*'`;
const WORDS =
  'as|async|await|break|case|catch|class|const|continue|default|else|export|extends|finally|for|from|function|if|implements|import|in|interface|let|new|of|readonly|return|satisfies|switch|throw|try|type|typeof|undefined|while|null|true|false';

/** One expression a language; its groups, by name, are the classes. @type {{ readonly [language: string]: RegExp }} */
const LANGUAGES = {
  sh: /(?<comment>(?<=^|\s)#[^\n]*)|(?<string>"(?:\\.|[^"\\])*"|'[^']*')|(?<variable>\$\{?\w+\}?)|(?<flag>(?<=\s)--?[A-Za-z][\w-]*)|(?<word>(?<=^|[|;&(]\s*)(?:npx counterfoil|npm|node|pip|curl|docker|export|echo|git)(?=\s))/gm,
  json: /(?<key>"(?:\\.|[^"\\])*"(?=\s*:))|(?<string>"(?:\\.|[^"\\])*")|(?<number>-?\b\d[\d.eE+-]*\b)|(?<word>\b(?:true|false|null)\b)/g,
  ts: new RegExp(
    String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>${STRING}|${'`'}(?:\\.|[^${'`'}\\])*${'`'})|(?<word>\b(?:${WORDS})\b)|(?<number>\b\d[\d_]*\b)`,
    'g',
  ),
  python:
    /(?<comment>#[^\n]*)|(?<string>[bf]?(?:"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))|(?<word>\b(?:and|as|await|class|def|elif|else|except|False|for|from|if|import|in|is|None|not|or|print|raise|return|True|try|with)\b)|(?<number>\b\d[\d_]*\b)/g,
  html: /(?<comment><!--[\s\S]*?-->)|(?<string>"[^"]*")|(?<word><\/?[\w-]+|\/?>)/g,
  diff: /(?<comment>^@@[^\n]*)|(?<added>^\+[^\n]*)|(?<removed>^-[^\n]*)/gm,
};
const ALIASES = { bash: 'sh', shell: 'sh', js: 'ts', mjs: 'ts', javascript: 'ts', typescript: 'ts', tsx: 'ts' };

/**
 * @param {string} code
 * @param {string} language the fence's first word
 * @returns {string} HTML; of an unknown language the code alone
 */
export function highlighted(code, language) {
  const pattern = LANGUAGES[ALIASES[/** @type {keyof typeof ALIASES} */ (language)] ?? language];
  if (pattern === undefined) return escapeHtml(code);
  let html = '';
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [name] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? ['plain'];
    html += `${escapeHtml(code.slice(end, match.index))}<span class="t-${name}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(end));
}
