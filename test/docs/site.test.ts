// The built pages of the documentation: their links lead somewhere, nothing of them is elsewhere, and the search finds
// what it should.
import { expect } from 'chai';
import { z } from 'zod';
import { readWebFiles } from '../../src/cli/read-web-files.ts';
import type { WebFiles } from '../../src/http/web-files.ts';
import { search } from '../../web/docs/src/search.ts';
import { allPaths } from './pages.ts';

/** Where pages of this server lead besides the documentation. */
const OTHERS: ReadonlySet<string> = new Set(['/dashboard', '/openapi.json', '/management/openapi.json']);
const MAX_PICTURE_BYTES = 200_000;
const Entries = z.array(z.tuple([z.string(), z.string(), z.string(), z.string()]));

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
    let entries: z.infer<typeof Entries>;
    before(() => {
      const [, index] = [...files].find(([name]) => /^assets\/search-\w+\.json$/.test(name)) ?? [];
      entries = Entries.parse(JSON.parse(Buffer.from(index?.content ?? []).toString('utf8')));
    });

    it('leads to headings that are there', () => {
      expect(entries.length).to.be.above(300);
      expect(entries.flatMap(([url]) => faultOf(url, 'index.html') ?? [])).to.deep.equal([]);
    });

    const FOUND: { readonly [query: string]: string } = {
      'first payment': '/docs/first-payment',
      cards: '/docs/contract/sandbox#cards',
      rotate: '/docs/going-live#keys-with-the-least-scopes',
      'If-Match': '/docs/contract#1-conventions',
      glossary: '/docs/glossary',
    };
    for (const [query, url] of Object.entries(FOUND))
      it(`finds ${query} among the first`, () => {
        const urls = search(entries, query).map(({ entry }) => entry[0]);
        expect(urls.slice(0, 5)).to.include(url);
      });

    it('finds nothing where a word is on no page, and where there is no word', () => {
      expect([search(entries, 'payment xyzzyq'), search(entries, ' . ')]).to.deep.equal([[], []]);
    });
  });
});
