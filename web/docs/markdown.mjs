// Markdown to the HTML of a page: anchors as GitHub makes them, links between pages, notes, pictures, code with a copy
// button.
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import { escapeHtml, highlighted } from './highlight.mjs';

/**
 * @typedef {object} Heading
 * @property {number} level
 * @property {string} text
 * @property {string} anchor
 * @property {string} body the words under it, as plain text, for the search
 *
 * @typedef {object} Rendered
 * @property {string} html
 * @property {string} title
 * @property {string} summary its first paragraph, as plain text
 * @property {readonly Heading[]} headings
 * @property {readonly string[]} pictures files that it shows, from the root
 */

/**
 * The address of the running service in the repository's Markdown. On the pages it becomes the server that sent them.
 */
const ORIGIN = 'http://127.0.0.1:4000';
const NOTE = /^\[!(NOTE|TIP|WARNING|IMPORTANT|CAUTION)\]\s*/;

/** @param {string} heading */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/**
 * @param {string} root the repository
 * @param {ReadonlyMap<string, string>} urls the address of each page, by its source
 */
export function renderer(root, urls) {
  const md = new MarkdownIt({ html: false, linkify: false, typographer: false });
  md.renderer.rules['fence'] = (tokens, at) => {
    const { info = '', content = '' } = tokens[at] ?? {};
    const [language = '', kind] = info.split(/\s+/);
    const isOutput = kind === 'output';
    const button = isOutput ? '' : '<button type="button" class="copy" hidden>Copy</button>';
    return `<div class="code${isOutput ? ' output' : ''}" data-language="${escapeHtml(language)}">${button}<pre tabindex="0"><code>${highlighted(content, language)}</code></pre></div>\n`;
  };
  md.renderer.rules['table_open'] = () => '<div class="table" tabindex="0"><table>\n';
  md.renderer.rules['table_close'] = () => '</table></div>\n';

  /**
   * @param {string} source the page's path from the root
   * @returns {Rendered}
   */
  return function render(source) {
    const text = readFileSync(join(root, source), 'utf8').replaceAll(/^<!--[\s\S]*?-->\n?/gm, '');
    const tokens = md.parse(text, {});
    /** @type {Heading[]} */
    const headings = [];
    /** @type {string[]} */
    const pictures = [];
    /** @type {Map<string, number>} */
    const seen = new Map();
    let summary = '';
    tokens.forEach((token, at) => {
      const inline = tokens[at + 1];
      if (token.type === 'heading_open' && inline !== undefined) {
        const words = plain(inline);
        const base = anchorOf(words);
        const times = seen.get(base) ?? 0;
        seen.set(base, times + 1);
        const anchor = times === 0 ? base : `${base}-${times}`;
        token.attrSet('id', anchor);
        headings.push({ level: Number(token.tag.slice(1)), text: words, anchor, body: '' });
      } else if (token.type === 'inline' || token.type === 'fence') {
        const last = headings.at(-1);
        const isHeading = tokens[at - 1]?.type === 'heading_open';
        if (last !== undefined && !isHeading) last.body += ` ${token.type === 'fence' ? token.content : plain(token)}`;
        if (summary === '' && token.type === 'inline' && tokens[at - 1]?.type === 'paragraph_open')
          summary = plain(token);
        if (token.children !== null) token.children = linked(token.children, source, pictures);
      } else if (token.type === 'blockquote_open') callout(tokens, at);
    });
    const title = headings[0]?.text ?? source;
    return { html: md.renderer.render(tokens, md.options, {}), title, summary, headings, pictures };
  };

  /**
   * Links to pages lead to their addresses. Links to other files of the repository become plain text.
   * @param {import('markdown-it/lib/token.mjs').default[]} children
   * @param {string} source
   * @param {string[]} pictures
   */
  function linked(children, source, pictures) {
    let dropping = 0;
    return children.filter((child) => {
      if (child.type === 'image') place(child, source, pictures);
      if (child.type === 'link_open') {
        const to = addressOf(String(child.attrGet('href')), source);
        if (to === undefined) {
          dropping += 1;
          return false;
        }
        child.attrSet('href', to);
        if (/^https?:/.test(to)) child.attrSet('rel', 'noreferrer');
      }
      if (child.type === 'link_close' && dropping > 0) {
        dropping -= 1;
        return false;
      }
      return true;
    });
  }

  /**
   * @param {string} href
   * @param {string} source
   * @returns {string | undefined} undefined for a file that is not a page
   */
  function addressOf(href, source) {
    if (href.startsWith(ORIGIN)) return href.slice(ORIGIN.length) || '/';
    if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
    const [file = '', anchor] = href.split('#');
    const url = urls.get(posix.normalize(posix.join(dirname(source), file)));
    return url === undefined ? undefined : `${url}${anchor === undefined ? '' : `#${anchor}`}`;
  }

  /**
   * @param {import('markdown-it/lib/token.mjs').default} image
   * @param {string} source
   * @param {string[]} pictures
   */
  function place(image, source, pictures) {
    const path = posix.normalize(posix.join(dirname(source), String(image.attrGet('src'))));
    pictures.push(path);
    image.attrSet('src', `/docs/pictures/${posix.basename(path)}`);
    image.attrSet('loading', 'lazy');
    const { width, height } = sizeOf(readFileSync(join(root, path)));
    image.attrSet('width', String(width));
    image.attrSet('height', String(height));
  }
}

/** The size in the header of a PNG. @param {Buffer} bytes */
function sizeOf(bytes) {
  if (bytes.toString('latin1', 1, 4) !== 'PNG') throw new Error('a picture of the documentation is a PNG');
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** @param {import('markdown-it/lib/token.mjs').default} inline */
function plain({ children }) {
  return (children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : type === 'image' ? '' : content))
    .join('');
}

/**
 * `> [!NOTE]` as on GitHub.
 * @param {import('markdown-it/lib/token.mjs').default[]} tokens
 * @param {number} at
 */
function callout(tokens, at) {
  const inline = tokens[at + 2];
  const [mark, kind = ''] = NOTE.exec(inline?.content ?? '') ?? [];
  if (inline?.children == null || mark === undefined) return;
  tokens[at]?.attrSet('class', `note note-${kind.toLowerCase()}`);
  const [first, ...rest] = inline.children;
  if (first !== undefined) first.content = first.content.replace(NOTE, '');
  inline.children = first?.content === '' && rest[0]?.type === 'softbreak' ? rest.slice(1) : inline.children;
}
