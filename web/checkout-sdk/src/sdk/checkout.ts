// Draws a checkout on a merchant's page: an iframe of the service's origin, and what it says. Card data stays in there.
import { claimsOf } from '../shared/client-token.ts';
import type { FromFrame } from '../shared/protocol.ts';
import { openChannel } from './frame-channel.ts';
import { configurationOf, elementOf, withChanges } from './options.ts';
import type { Checkout, CheckoutOptions, CheckoutState } from './public.ts';

const LOAD_WITHIN_MS = 20_000;
/** Room for the rings around fields, which would else be cut off at the frame's edge. */
const RING_PX = 3;
/** Roughly the height of the form, so that the page jumps little when it appears. */
const FIRST_HEIGHT_PX = 420;
const MAX_HEIGHT_PX = 20_000;

/** `base`: the service's /checkout/. Throws a TypeError for options that cannot work. */
export function checkout(first: CheckoutOptions, base: URL): Checkout {
  let options = first;
  let configuration = configurationOf(options);
  const host = elementOf(options);
  let state: CheckoutState = 'loading';
  const completed = new Set<string>();
  const refreshing = new Map<number, () => void>();
  let asked = 0;

  // The address names the account, which is no secret: its settings say who may frame the page. The token never stands in a URL.
  const address = (): string =>
    new URL(`frame?account=${encodeURIComponent(claimsOf(configuration.clientToken)?.account ?? '')}`, base).href;
  const frame = makeFrame(address());

  const hear = (news: FromFrame): void => {
    clearTimeout(timer);
    switch (news.kind) {
      case 'height':
        frame.style.height = `${Math.min(Math.max(0, news.px), MAX_HEIGHT_PX)}px`;
        return;
      case 'title':
        frame.title = news.text;
        return;
      case 'state':
        state = news.state;
        options.onStateChange?.(state);
        return;
      case 'refreshed':
        refreshing.get(news.id)?.();
        refreshing.delete(news.id);
        return;
      case 'complete':
        if (completed.has(news.payment.paymentId)) return;
        completed.add(news.payment.paymentId);
        options.onComplete?.(news.payment);
        return;
      case 'error':
        options.onError?.(news.error);
        return;
      default:
        news satisfies never;
    }
  };
  const channel = openChannel(frame, base.origin, () => configuration, hear);
  const timer = setTimeout(() => {
    options.onError?.({
      code: 'frame_unreachable',
      message: `The card frame did not load from ${base.origin}. Is this page's origin among the account's allowed origins?`,
    });
  }, LOAD_WITHIN_MS);
  paint(frame, configuration.appearance.theme);
  host.append(frame);

  return {
    get state() {
      return state;
    },
    update(changes) {
      const next = withChanges(options, changes);
      configuration = configurationOf(next);
      options = next;
      paint(frame, configuration.appearance.theme);
      if (frame.src !== address()) frame.src = address();
      else channel.send({ kind: 'configure', configuration });
    },
    refresh: () =>
      new Promise((resolve) => {
        asked += 1;
        // A frame that is not there yet reads the session when it comes.
        if (channel.send({ kind: 'refresh', id: asked })) refreshing.set(asked, resolve);
        else resolve();
      }),
    destroy() {
      clearTimeout(timer);
      channel.close();
      frame.remove();
      for (const resolve of refreshing.values()) resolve();
      refreshing.clear();
    },
  };
}

function makeFrame(src: string): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  // Its own origin (it is not this page's), scripts and a form: no navigation of the page, no windows, no downloads.
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
  frame.allow = 'payment';
  frame.referrerPolicy = 'no-referrer';
  frame.title = 'Payment';
  frame.src = src;
  Object.assign(frame.style, {
    display: 'block',
    border: '0',
    width: `calc(100% + ${2 * RING_PX}px)`,
    margin: `-${RING_PX}px`,
    height: `${FIRST_HEIGHT_PX}px`,
    background: 'transparent',
  });
  return frame;
}

/** An iframe is see-through only while its colour scheme is that of the page in it. */
function paint(frame: HTMLIFrameElement, theme: 'light' | 'dark' | 'auto' = 'auto'): void {
  frame.style.colorScheme = theme === 'auto' ? 'light dark' : theme;
}
