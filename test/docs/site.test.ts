// The built pages of the documentation: their links lead somewhere, nothing of them is elsewhere, and the search finds
// what it should.
import { expect } from 'chai';
import { z } from 'zod';
import { readWebFiles } from '../../src/cli/read-web-files.ts';
import type { WebFiles } from '../../src/http/web-files.ts';
import { type Entry, KINDS, openSearch, type Search, wordsOf } from '../../web/docs/src/search.ts';
import { allPaths, readPage } from './pages.ts';

/** Where pages of this server lead besides the documentation. */
const OTHERS: ReadonlySet<string> = new Set(['/dashboard', '/openapi.json', '/management/openapi.json']);
const MAX_PICTURE_BYTES = 200_000;
const Entries = z.array(z.tuple([z.string(), z.string(), z.string(), z.string(), z.enum(KINDS)]));

describe('the documentation as it is built', () => {
  let files: WebFiles;
  let pages: ReadonlyMap<string, string>;
  before(async () => {
    files = await readWebFiles('docs');
    const html = [...files].filter(([name]) => name.endsWith('.html'));
    pages = new Map(html.map(([name, { content }]) => [name, Buffer.from(content).toString('utf8')]));
  });

  const attributesIn = (text: string, name: string): readonly string[] =>
    [...text.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);
  const pageAt = (path: string): string | undefined =>
    pages.get(path === '/docs' ? 'index.html' : `${path.slice('/docs/'.length)}.html`);
  /** Why an address of ours leads nowhere; undefined if it leads somewhere. */
  const faultOf = (address: string, from: string): string | undefined => {
    const [path = '', anchor] = address.split('#');
    if (OTHERS.has(path)) return undefined;
    const to = path === '' ? pages.get(from) : pageAt(path);
    if (to === undefined) return files.has(path.slice('/docs/'.length)) ? undefined : `${from}: no page has ${address}`;
    return anchor === undefined || to.includes(` id="${anchor}"`)
      ? undefined
      : `${from}: ${address} leads to no heading`;
  };

  it('has a page for each guide', () => {
    const guides = allPaths().flatMap((path) => /^docs\/guides\/([\w-]+)\.md$/.exec(path)?.[1] ?? []);
    expect(guides.length).to.be.above(4);
    expect(guides.filter((name) => !pages.has(`${name}.html`))).to.deep.equal([]);
  });

  it('leads from the first page to the first live payment by five pages, each of which names the next', () => {
    const path = ['/docs', '/docs/first-payment', '/docs/checkout', '/docs/webhooks', '/docs/going-live'];
    const [, list = ''] =
      /<ol>(.*?)<\/ol>\n/s.exec(/<article>.*<\/article>/s.exec(pageAt('/docs') ?? '')?.[0] ?? '') ?? [];
    expect(attributesIn(list, 'href')).to.deep.equal(path.slice(1));
    path.slice(1).forEach((next, at) => {
      const name = path[at] === '/docs' ? 'index' : path[at]?.slice('/docs/'.length);
      expect(readPage(`docs/guides/${name}.md`).text).to.match(
        new RegExp(`\\*\\*Next:.*\\(${next.slice(6)}\\.md\\)\\n$`),
      );
      expect(pageAt(path[at] ?? '')).to.contain(`<a class="after" href="${next}">`);
    });
  });

  it('leads nowhere that is not there', () => {
    const links = [...pages].flatMap(([name, text]) => attributesIn(text, 'href').map((href) => [href, name] as const));
    const own = links.filter(([href]) => !/^https:\/\//.test(href));
    expect(own.length).to.be.above(1_000);
    expect(own.flatMap(([href, name]) => faultOf(href, name) ?? [])).to.deep.equal([]);
  });

  it('loads nothing from elsewhere', () => {
    for (const [name, text] of pages) {
      const loaded = [...text.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]+)"/g)].map(
        ([, address = '']) => address,
      );
      expect(
        loaded.filter((address) => !files.has(address.slice('/docs/'.length))),
        name,
      ).to.deep.equal([]);
    }
    const styles = [...files]
      .filter(([name]) => name.endsWith('.css'))
      .map(([, { content }]) => Buffer.from(content).toString('utf8'));
    expect(styles.flatMap((style) => [...style.matchAll(/url\("(?!\/docs\/)/g)])).to.deep.equal([]);
  });

  it('has no inline script and no inline style, which the policy forbids', () => {
    for (const [name, text] of pages)
      expect(text, name).not.to.match(/<script(?![^>]* src=)|<style|<[a-z][^>]* (?:style|on\w+)=/);
  });

  it('says of each picture what it shows, and keeps it small', () => {
    const pictures = [...pages].flatMap(([name, text]) =>
      [...text.matchAll(/<img [^>]*>/g)].map(([image]) => [name, image] as const),
    );
    for (const [name, image] of pictures) expect(image, name).to.match(/ alt="[^"]{10,}"/);
    const large = [...files].filter(
      ([name, { content }]) => name.startsWith('pictures/') && content.length > MAX_PICTURE_BYTES,
    );
    expect(large.map(([name]) => name)).to.deep.equal([]);
  });

  describe('its search', () => {
    let entries: readonly Entry[];
    let search: Search;
    before(() => {
      const [, index] = [...files].find(([name]) => /^assets\/search-\w+\.json$/.test(name)) ?? [];
      entries = Entries.parse(JSON.parse(Buffer.from(index?.content ?? []).toString('utf8')));
      search = openSearch(entries);
    });
    const urlsFor = (query: string): readonly string[] => search(query).map(({ entry: [url] }) => url);
    const urlOf = (name: string): string => (name === 'index.html' ? '/docs' : `/docs/${name.replace('.html', '')}`);
    const pageOf = (url: string): string => url.split('#', 1)[0] ?? '';

    it('leads to headings that are there', () => {
      expect(entries.length).to.be.above(300);
      const isDrawn = ([, , , , kind]: Entry): boolean => kind === 'operation';
      const onPages = entries.filter((entry) => !isDrawn(entry));
      expect(onPages.flatMap(([url]) => faultOf(url, 'index.html') ?? [])).to.deep.equal([]);
      const pathsOf = (reference: string): readonly string[] =>
        entries.filter(isDrawn).flatMap(([url]) => (pageOf(url) === reference ? [url] : []));
      expect(pathsOf('/docs/api')).to.include('/docs/api#tag/payments/POST/payments/{id}/capture');
      expect(pathsOf('/docs/management-api')).to.include('/docs/management-api#tag/users/GET/management/users');
    });

    const FIRST: { readonly [query: string]: string } = {
      '3ds': '/docs/checkout#3-d-secure',
      sca: '/docs/checkout#3-d-secure',
      'strong customer authentication': '/docs/checkout#3-d-secure',
      embed: '/docs/checkout',
      python: '/docs/python-client',
      pip: '/docs/python-client',
      'install the python client': '/docs/python-client',
      'verify a webhook in python': '/docs/python-client',
      subscription: '/docs/agreements',
      recurring: '/docs/agreements',
      'first payment': '/docs/first-payment',
      'PAYMENT FIRST': '/docs/first-payment',
      'take payments on my site': '/docs',
      'accept payments on my website': '/docs',
      'how do I take payments on my site': '/docs',
      'add checkout to my page': '/docs/checkout',
      typescript: '/docs/node-client',
      webh: '/docs/webhooks',
      glossary: '/docs/glossary',
    };
    for (const [query, page] of Object.entries(FIRST))
      it(`leads from ${query} to ${page}`, () => {
        const [first = ''] = urlsFor(query);
        expect(page.includes('#') ? first : pageOf(first)).to.equal(page);
      });

    const AMONG_THE_FIRST: { readonly [query: string]: RegExp } = {
      'create client session': /^\/docs\/api#tag\/client-sessions\/POST\/client-session$/,
      cards: /^\/docs\/contract.*#cards$/,
      rotate: /^\/docs\/going-live#keys-with-the-least-scopes$/,
      'if-match': /^\/docs\/node-client#a-cart-that-changes$/,
    };
    for (const [query, url] of Object.entries(AMONG_THE_FIRST))
      it(`finds ${query} among the first`, () =>
        expect(urlsFor(query).slice(0, 5).join('\n')).to.match(new RegExp(url, 'm')));

    it('finds the page of a sentence by most of its words, in any order, in code and in tables too', () => {
      const queries = [...pages]
        .filter(([name]) => !/^(?:decisions|404)/.test(name))
        .flatMap(([name, html]) => mostOfSentencesIn(html).map((query) => ({ url: urlOf(name), query })))
        .filter((_, at) => at % 3 === 0);
      expect(queries.length).to.be.above(300);
      const isLost = ({ url, query }: (typeof queries)[number]): boolean =>
        !urlsFor(query).slice(0, 3).map(pageOf).includes(url);
      const lost = queries.filter(isLost).map(({ url, query }) => `${url}: ${query}`);
      expect(lost.length / queries.length, lost.join('\n')).to.be.below(0.01);
    });

    it('leaves decisions out, unless the query asks for them', () => {
      const decisionsIn = (query: string): number =>
        search(query).filter(({ entry: [, , , , kind] }) => kind === 'decision').length;
      const [url = ''] = entries.find(([at]) => /\/decisions\/(?!0000)/.test(at)) ?? [];
      const number = /\d{4}/.exec(url)?.[0] ?? '';
      expect(decisionsIn('idempotency')).to.equal(0);
      expect(decisionsIn('decision idempotency')).to.be.above(0);
      expect([number, `ADR ${Number(number)}`].map((query) => pageOf(urlsFor(query)[0] ?? ''))).to.deep.equal([
        url,
        url,
      ]);
    });

    it('ranks the path and guides first, then reference, then the rest', () => {
      const at = (kind: string) => [`/${kind}`, kind, 'Shipping', 'A word about shipping.', kind] as const;
      const small = openSearch(Entries.parse(['rest', 'reference', 'path', 'guide'].map(at)));
      expect(small('shipping').map(({ entry: [url] }) => url)).to.deep.equal([
        '/path',
        '/guide',
        '/reference',
        '/rest',
      ]);
    });

    it('ranks operations first where the API reference is open', () => {
      const onReference = openSearch(entries, { isReference: true });
      const first = (query: string): string => onReference(query)[0]?.entry[0] ?? '';
      expect(['create client session', 'capture the authorized amount', 'refund'].map(first)).to.deep.equal([
        '/docs/api#tag/client-sessions/POST/client-session',
        '/docs/api#tag/payments/POST/payments/{id}/capture',
        '/docs/api#tag/payments/POST/payments/{id}/refund',
      ]);
    });

    it('finds nothing where most of the words are on no page, and where there is no word', () => {
      expect(['payment xyzzyq', 'constructor xyzzyq plugh', 'xyzzyq', ' . '].map(urlsFor)).to.deep.equal([
        [],
        [],
        [],
        [],
      ]);
    });

    it('shows the part of the text that has the words', () => {
      const [hit] = search('mandate IBAN');
      expect(hit?.excerpt)
        .to.match(/IBAN/)
        .and.to.match(/mandate/);
    });
  });
});

/** Three of four words of each sentence, and of each cell of a table, from the last to the first: five large ones. */
const mostOfSentencesIn = (html: string): readonly string[] =>
  [...html.matchAll(/<(p|li|td)>(.*?)<\/\1>/gs)]
    .flatMap(([, , inner = '']) => plain(inner).split(/(?<=[.?!:;]) /))
    .map((sentence) => sentence.split(/\s+/).filter((word, at) => /\w/.test(word) && at % 4 !== 3))
    .map((words) => words.reverse().join(' '))
    .filter((query) => wordsOf(query).length >= 5);

const plain = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
