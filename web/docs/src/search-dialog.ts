// The dialog of the search: opened by its button, `/` or Ctrl-K; its index is fetched when it is first needed.
import { type Entry, type Hit, openSearch, patternOf, type Search, wordsOf } from './search.ts';

const isEntries = (value: unknown): value is readonly Entry[] => Array.isArray(value);

async function fetchSearch(): Promise<Search> {
  const response = await fetch(document.documentElement.dataset['search'] ?? '');
  const entries: unknown = await response.json();
  return openSearch(isEntries(entries) ? entries : [], { isReference: document.body.classList.contains('api') });
}

const EMPTY =
  'Enter a word, such as “refund” or “3-D Secure”, or a sentence. Add “decision” to search the decisions, too.';

export function prepareSearch(): void {
  const button = document.querySelector<HTMLButtonElement>('#find');
  if (button === null) return;
  button.hidden = false;
  let dialog: HTMLDialogElement | undefined;
  const open = (): void => {
    dialog ??= makeDialog();
    dialog.showModal();
    dialog.querySelector('input')?.select();
  };
  button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof HTMLElement &&
      event.target.closest('input, textarea, select, [contenteditable="true"]') !== null;
    const isMeant = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!isMeant) return;
    event.preventDefault();
    open();
  });
}

function makeDialog(): HTMLDialogElement {
  const dialog = element('dialog', 'search');
  dialog.setAttribute('aria-label', 'Search the documentation');
  const input = element('input');
  input.type = 'search';
  input.placeholder = 'Search the documentation';
  input.setAttribute('aria-label', 'Search the documentation');
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-controls', 'found');
  input.setAttribute('aria-expanded', 'true');
  input.autocomplete = 'off';
  const list = element('ul');
  list.id = 'found';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Results');
  const state = element('p', 'state', EMPTY);
  state.setAttribute('role', 'status');
  dialog.append(input, list, state);
  document.body.append(dialog);

  let search: Search | undefined;
  let chosen = 0;
  const links = (): readonly HTMLAnchorElement[] => [...list.querySelectorAll('a')];
  const mark = (next: number): void => {
    chosen = Math.max(0, Math.min(next, links().length - 1));
    links().forEach((link, place) => {
      link.setAttribute('aria-selected', String(place === chosen));
      if (place !== chosen) return;
      link.scrollIntoView({ block: 'nearest' });
      input.setAttribute('aria-activedescendant', link.id);
    });
  };
  const show = (): void => {
    if (search === undefined) return;
    const words = wordsOf(input.value);
    const hits = search(input.value);
    list.replaceChildren(...hits.map((hit, place) => itemOf(hit, words, place)));
    if (words.length === 0) state.textContent = EMPTY;
    else
      state.textContent =
        hits.length > 0 ? '' : `Nothing found for “${input.value.trim()}”. Try fewer words, or other words.`;
    mark(0);
  };
  input.addEventListener('input', show);
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) mark(chosen + step);
    else if (event.key === 'Enter') links()[chosen]?.click();
    else return;
    event.preventDefault();
  });
  list.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  fetchSearch().then(
    (opened) => {
      search = opened;
      show();
    },
    () => {
      state.textContent = 'The search index could not be loaded. Check that the service is running.';
    },
  );
  return dialog;
}

function itemOf({ entry: [url, page, heading], excerpt }: Hit, words: readonly string[], place: number): HTMLLIElement {
  const link = element('a');
  link.href = url;
  link.id = `found-${place}`;
  link.setAttribute('role', 'option');
  const title = element('strong');
  title.append(...marked(heading === '' ? page : heading, words));
  const text = element('span', 'excerpt');
  text.append(...marked(excerpt, words));
  link.append(element('small', 'page', heading === '' ? 'Page' : page), title, text);
  const item = element('li');
  item.setAttribute('role', 'presentation');
  item.append(link);
  return item;
}

/** The text with the words in it marked. */
function marked(text: string, words: readonly string[]): readonly (string | HTMLElement)[] {
  const pattern = new RegExp(`(${patternOf(words).source})`, 'giu');
  return text.split(pattern).map((part, place) => (place % 2 === 1 ? element('mark', '', part) : part));
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  text = '',
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}
