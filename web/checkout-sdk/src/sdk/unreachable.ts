// The sentence and the button on the shop's page if the card frame cannot load. They use the page's colours and font.
import { UNREACHABLE_WORDS, type UnreachableWords } from '../shared/unreachable-words.ts';

/** The words, in English if the language is not available, as in the frame. */
const wordsOf = (locale: string): UnreachableWords => {
  const language = locale.slice(0, 2).toLowerCase();
  return Object.entries(UNREACHABLE_WORDS).find(([name]) => name === language)?.[1] ?? UNREACHABLE_WORDS.en;
};

/** `locale`: BCP 47. The styles are set one by one, so the page's policy needs to allow none. */
export function unreachableBox(locale: string, again: () => void): HTMLElement {
  const { down, downText, tryAgain } = wordsOf(locale);
  const box = document.createElement('div');
  box.dataset['counterfoil'] = 'unreachable';
  box.setAttribute('role', 'alert');
  Object.assign(box.style, {
    margin: '0 0 12px',
    padding: '24px 16px',
    border: '1px solid',
    borderRadius: '8px',
    textAlign: 'center',
  });
  const title = document.createElement('strong');
  title.textContent = down;
  title.style.display = 'block';
  const text = document.createElement('p');
  text.textContent = downText;
  text.style.margin = '4px 0 16px';
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = tryAgain;
  Object.assign(button.style, {
    minHeight: '44px',
    padding: '0 20px',
    border: '1px solid',
    borderRadius: '8px',
    background: 'transparent',
    color: 'inherit',
    font: 'inherit',
    cursor: 'pointer',
  });
  button.addEventListener('click', again);
  box.append(title, text, button);
  return box;
}
