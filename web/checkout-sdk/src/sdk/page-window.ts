// The page of a payment method in a window of its own: it may not be framed. On a phone it is a tab.
import type { ActionPage, ChallengeReturn } from '../shared/protocol.ts';
import { returnIn } from './challenge-window.ts';

interface Needs {
  /** The origin of the service, which serves the page that the shopper comes back to. */
  readonly origin: string;
  readonly onReturn: (returned: ChallengeReturn) => void;
  /** Called when the shopper has closed the window. */
  readonly onClose: () => void;
}

const SIZE = { width: 480, height: 720 };
const LOOK_EVERY_MS = 500;

/**
 * Opens the window, and returns the function that closes it. A browser that forbids the window opens none: the button
 * in the frame, which the shopper then presses, may open it.
 */
export function openPage({ paymentId, url }: ActionPage, { origin, onReturn, onClose }: Needs): () => void {
  // A javascript: URL would run with the shop's origin.
  if (!/^https?:/.test(url)) return () => undefined;
  const left = Math.max(0, window.screenX + (window.outerWidth - SIZE.width) / 2);
  const top = Math.max(0, window.screenY + (window.outerHeight - SIZE.height) / 2);
  // The page comes back with a message to its opener, so the shop's page stays the opener.
  const page = window.open(
    url,
    'counterfoil-page',
    `popup,width=${SIZE.width},height=${SIZE.height},left=${left},top=${top}`,
  );
  if (page === null) return () => undefined;
  page.focus();
  const onMessage = ({ source, origin: from, data }: MessageEvent<unknown>): void => {
    if (source !== page || from !== origin) return;
    const returned = returnIn(data);
    if (returned?.paymentId !== paymentId) return;
    end();
    onReturn(returned);
  };
  window.addEventListener('message', onMessage);
  const clock = setInterval(() => {
    if (!page.closed) return;
    end();
    onClose();
  }, LOOK_EVERY_MS);
  const end = (): void => {
    clearInterval(clock);
    window.removeEventListener('message', onMessage);
    page.close();
  };
  return end;
}
