// Gives the parts of Scalar the names, roles and keys that they lack, each time that it draws.

/** A change to an element that Scalar has drawn, made after each drawing: the second time it changes nothing. */
type Mend = (element: Element) => void;

const named =
  (name: string): Mend =>
  (element) => {
    if (element.getAttribute('aria-label') !== name) element.setAttribute('aria-label', name);
  };

/** Its text, including what a narrow window hides. */
const namedByText: Mend = (element) => named((element.textContent ?? '').replaceAll(/\s+/g, ' ').trim())(element);

const MENDS: readonly (readonly [selector: string, mend: Mend])[] = [
  // A button of the navigation has no selection; the open one is the current one.
  [
    'button[aria-selected]:not([role])',
    (button) => {
      if (button.getAttribute('aria-selected') === 'true') button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
      button.removeAttribute('aria-selected');
    },
  ],
  // A button is named by its text; a search is not.
  ['button[role="search"]', (button) => button.removeAttribute('role')],
  ['a[target="_blank"]:not([aria-label])', namedByText],
  ['.scalar-code-copy', named('Copy')],
  ['.cm-content[role="textbox"]:not([aria-label])', named('Value')],
  // The name begins with the words that are shown.
  [
    '.show-more[aria-label^="Show all "]',
    (button) => {
      const shown = button.textContent?.trim() ?? '';
      named(`${shown}: ${(button.getAttribute('aria-label') ?? '').slice('Show all '.length)}`)(button);
    },
  ],
  // Links without an address, which only a mouse reaches.
  [
    'a.endpoint:not([href]):not([tabindex])',
    (link) => {
      link.setAttribute('role', 'link');
      link.setAttribute('tabindex', '0');
    },
  ],
];

/** Keeps everything named that is drawn below `root`, until the page is left. */
export function keepNamed(root: Element): void {
  const mendAll = (): void => {
    for (const [selector, mend] of MENDS) for (const element of root.querySelectorAll(selector)) mend(element);
  };
  let isPlanned = false;
  const observer = new MutationObserver(() => {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(() => {
      isPlanned = false;
      mendAll();
    });
  });
  observer.observe(root, {
    subtree: true,
    childList: true,
    attributeFilter: ['aria-selected', 'aria-label', 'role'],
  });
  root.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent) || event.key !== 'Enter') return;
    if (event.target instanceof HTMLElement && event.target.matches('a.endpoint:not([href])')) event.target.click();
  });
}
