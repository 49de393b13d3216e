// The bank's page over the shop's page: a modal window that is the whole screen of a phone. Its style is its own, in a
// shadow tree.
import type { Appearance } from '../shared/appearance-types.ts';
import type { Challenge, ChallengeReturn } from '../shared/protocol.ts';
import { paint } from './frame-element.ts';

interface Needs {
  /** The origin of the service, which serves the page around the bank's page. */
  readonly origin: string;
  /** The address of that page. Its fragment, which no server receives, contains the bank's address. */
  readonly address: string;
  readonly theme: Appearance['theme'];
  readonly onReturn: (returned: ChallengeReturn) => void;
  /** Called when the shopper has closed the window. */
  readonly onClose: () => void;
}

/** The message from /checkout/3ds/return to the window that contains its frame. */
const RETURN = 'counterfoil.3ds.return';

/** Opens the window and returns the function that closes it. The focus then goes back to where it was. */
export function openChallenge(
  challenge: Challenge,
  { origin, address, theme = 'auto', onReturn, onClose }: Needs,
): () => void {
  const frame = makeFrame(challenge, address, theme);
  const dialog = makeDialog(challenge, theme, frame);
  const host = document.createElement('div');
  host.dataset['counterfoil'] = 'challenge';
  const root = host.attachShadow({ mode: 'open' });
  // Set by code, so that the page's policy need not allow styles.
  const style = new CSSStyleSheet();
  style.replaceSync(CHALLENGE_STYLE);
  root.adoptedStyleSheets = [style];
  root.append(dialog);

  const before = document.activeElement;
  let isOpen = true;
  const end = (): void => {
    isOpen = false;
    window.removeEventListener('message', onMessage);
    dialog.close();
    host.remove();
    // Chromium does not return the focus to a frame automatically.
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  };
  const onMessage = ({ source, origin: from, data }: MessageEvent<unknown>): void => {
    if (source === null || source !== frame.contentWindow || from !== origin) return;
    const returned = returnIn(data);
    if (returned?.paymentId === challenge.paymentId) onReturn(returned);
  };
  window.addEventListener('message', onMessage);
  // By the button, the Escape key or a phone's way back.
  dialog.addEventListener('close', () => {
    if (!isOpen) return;
    end();
    onClose();
  });
  document.body.append(host);
  dialog.showModal();
  return () => {
    if (isOpen) end();
  };
}

function makeDialog(
  { title, close }: Challenge,
  theme: NonNullable<Appearance['theme']>,
  frame: HTMLIFrameElement,
): HTMLDialogElement {
  const dialog = document.createElement('dialog');
  dialog.dataset['theme'] = theme;
  const heading = document.createElement('h2');
  heading.id = 'title';
  heading.textContent = title;
  // A screen reader announces the title first; the next stops are the button and the bank's page.
  heading.tabIndex = -1;
  heading.autofocus = true;
  dialog.setAttribute('aria-labelledby', heading.id);
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = '\u00d7';
  button.setAttribute('aria-label', close);
  button.addEventListener('click', () => dialog.close());
  const head = document.createElement('header');
  head.append(heading, button);
  const place = document.createElement('div');
  place.append(frame);
  dialog.append(head, place);
  return dialog;
}

/**
 * The shop's policy has to name only the service. The service's own page knows the origins of its processors' pages.
 */
function makeFrame({ url, title }: Challenge, address: string, theme: Appearance['theme']): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  // A bank's page may do what it needs, and may not lead the shop's page elsewhere.
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms allow-popups');
  frame.allow = 'publickey-credentials-get; payment';
  frame.referrerPolicy = 'no-referrer';
  frame.title = title;
  frame.src = `${address}#${new URLSearchParams({ url, title })}`;
  frame.addEventListener('load', () => {
    frame.dataset['loaded'] = '';
  });
  paint(frame, theme);
  return frame;
}

/** The values of the message, or undefined for a message of another kind. */
export function returnIn(data: unknown): ChallengeReturn | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data) || data.type !== RETURN) return undefined;
  if (!('paymentId' in data) || !('resumeToken' in data)) return undefined;
  const { paymentId, resumeToken } = data;
  return typeof paymentId === 'string' && typeof resumeToken === 'string' ? { paymentId, resumeToken } : undefined;
}

/** The bank's page has 390 × 560 pixels, or what a small screen has. */
const CHALLENGE_STYLE = `
:host { all: initial; }
dialog {
  color-scheme: light;
  --ground: #fff; --text: #151b27; --line: #dfe3ea; --ring: #2f52d9; --turn: #5b6575;
  box-sizing: border-box; width: 392px; max-width: none; height: 618px; max-height: calc(100dvh - 32px);
  margin: auto; padding: 0; overflow: hidden; border: 1px solid var(--line); border-radius: 12px;
  background: var(--ground); color: var(--text);
  font: 16px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  box-shadow: 0 24px 64px rgb(10 14 24 / 36%);
}
dialog[open] { display: flex; flex-direction: column; }
dialog::backdrop { background: rgb(10 14 24 / 56%); }
dialog[data-theme="dark"] { color-scheme: dark; --ground: #171b23; --text: #e8ebf1; --line: #3a4150; --ring: #8aa2ff; --turn: #a3acba; }
@media (prefers-color-scheme: dark) {
  dialog[data-theme="auto"] { color-scheme: dark; --ground: #171b23; --text: #e8ebf1; --line: #3a4150; --ring: #8aa2ff; --turn: #a3acba; }
}
header { display: flex; flex: none; align-items: center; justify-content: space-between; gap: 8px; min-height: 56px; padding: 4px 6px 4px 20px; border-bottom: 1px solid var(--line); box-sizing: border-box; }
h2 { margin: 0; font-size: 16px; font-weight: 600; line-height: 1.3; outline: none; }
button { flex: none; width: 44px; height: 44px; padding: 0; border: 0; border-radius: 8px; background: transparent; color: inherit; font: 28px/1 system-ui, sans-serif; cursor: pointer; }
button:hover { background: color-mix(in srgb, var(--text) 8%, transparent); }
button:focus-visible { outline: 2px solid var(--ring); outline-offset: -2px; }
div { position: relative; flex: 1; min-height: 0; }
div::before {
  content: ""; position: absolute; inset: 0; width: 32px; height: 32px; margin: auto; box-sizing: border-box;
  border: 3px solid color-mix(in srgb, var(--turn) 30%, transparent); border-top-color: var(--turn); border-radius: 50%;
  animation: turn 0.9s linear infinite;
}
@keyframes turn { to { transform: rotate(1turn); } }
iframe { position: absolute; inset: 0; display: block; width: 100%; height: 100%; border: 0; visibility: hidden; }
iframe[data-loaded] { visibility: visible; background: var(--ground); }
@media (max-width: 480px) {
  dialog { width: 100vw; height: 100dvh; max-height: none; margin: 0; border: 0; border-radius: 0; }
}
@media (prefers-reduced-motion: reduce) { div::before { animation-duration: 3s; } }
`;
