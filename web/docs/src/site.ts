// The scripts of the pages: copy buttons, colour scheme, navigation on narrow screens, position in the contents,
// search.
import { chooseScheme, currentScheme } from './colour-scheme.ts';
import { prepareSearch } from './search-dialog.ts';

/** The address in the guides' commands; the reader's own server may have another. */
const WRITTEN = 'http://127.0.0.1:4000';

function showOwnAddress(): void {
  if (location.origin === WRITTEN) return;
  const walker = document.createTreeWalker(
    document.querySelector('article') ?? document.createElement('p'),
    NodeFilter.SHOW_TEXT,
  );
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    if (node.nodeValue?.includes(WRITTEN) && node.parentElement?.closest('code') !== null)
      node.nodeValue = node.nodeValue.replaceAll(WRITTEN, location.origin);
}

function prepareCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) {
    button.hidden = navigator.clipboard === undefined;
    button.addEventListener('click', async () => {
      const text = button.parentElement?.querySelector('code')?.textContent ?? '';
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1_500);
    });
  }
}

function prepareScheme(): void {
  const button = document.querySelector<HTMLButtonElement>('#theme');
  if (button === null) return;
  button.hidden = false;
  button.addEventListener('click', () => chooseScheme(currentScheme() === 'dark' ? 'light' : 'dark'));
}

function prepareMenu(): void {
  const button = document.querySelector<HTMLButtonElement>('#menu');
  const show = (isOpen: boolean): void => {
    document.body.classList.toggle('menu-open', isOpen);
    button?.setAttribute('aria-expanded', String(isOpen));
  };
  button?.addEventListener('click', () => show(!document.body.classList.contains('menu-open')));
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && show(false));
  document.querySelector('main')?.addEventListener('click', () => show(false));
  document.querySelector('nav.side [aria-current]')?.scrollIntoView({ block: 'nearest' });
}

/** Marks the heading that is read in the contents. */
function prepareContents(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('nav.toc a')].map((link) => [link.hash.slice(1), link]),
  );
  const headings = [...document.querySelectorAll<HTMLElement>('article :is(h2, h3)[id]')];
  if (links.size === 0) return;
  const mark = (): void => {
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 4;
    const read = isAtEnd ? headings.at(-1) : headings.findLast((heading) => heading.getBoundingClientRect().top < 120);
    for (const [anchor, link] of links) link.toggleAttribute('data-read', anchor === (read ?? headings[0])?.id);
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
}

showOwnAddress();
prepareCopyButtons();
prepareScheme();
prepareMenu();
prepareContents();
prepareSearch();
