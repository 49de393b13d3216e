// Draws a checkout on a merchant's page: an iframe of the service's origin, and its messages. Card data stays in the
// iframe.

import { faultsOfAppearance } from '../shared/appearance.ts';
import { claimsOf } from '../shared/client-token.ts';
import type { Configuration, FromFrame } from '../shared/protocol.ts';
import { openCardFrame } from './card-frame.ts';
import { openChallenge } from './challenge-window.ts';
import { openPage } from './page-window.ts';
import type { Checkout, CheckoutChanges, CheckoutOptions, CheckoutState } from './public.ts';

/** `base`: the service's /checkout/. Throws a TypeError for options that cannot work. */
export function checkout(first: CheckoutOptions, base: URL): Checkout {
  let options = first;
  let configuration = configurationOf(options);
  const host = elementOf(options);
  let state: CheckoutState = 'loading';
  let isOpen = true;
  const completed = new Set<string>();
  const awaited = new Set<string>();
  const refreshing = new Map<number, () => void>();
  let asked = 0;

  // The address contains the account, which is not a secret: its settings decide who may frame the page. The token is
  // never in a URL.
  const address = (): string =>
    new URL(`frame?account=${encodeURIComponent(claimsOf(configuration.clientToken)?.account ?? '')}`, base).href;
  let closeChallenge: (() => void) | undefined;
  const endChallenge = (): void => {
    closeChallenge?.();
    closeChallenge = undefined;
  };

  const endRefreshes = (): void => {
    for (const resolve of refreshing.values()) resolve();
    refreshing.clear();
  };

  const enter = (next: CheckoutState): void => {
    if (next === state) return;
    state = next;
    if (state !== 'challenge') endChallenge();
    options.onStateChange?.(state);
  };

  const hear = (news: FromFrame): void => {
    switch (news.kind) {
      case 'height':
      case 'title':
        return;
      case 'state':
        // A page that begins reads the session as it is: nothing is left to refresh in the page before it.
        if (news.state === 'loading') endRefreshes();
        enter(news.state);
        return;
      case 'refreshed':
        refreshing.get(news.id)?.();
        refreshing.delete(news.id);
        return;
      case 'challenge':
        endChallenge();
        closeChallenge = openChallenge(news.challenge, {
          origin: base.origin,
          address: `${address()}&challenge`,
          theme: configuration.appearance.theme,
          onReturn: (returned) => frame.send({ kind: 'challengeReturned', returned }),
          onClose: () => frame.send({ kind: 'challengeClosed', paymentId: news.challenge.paymentId }),
        });
        return;
      case 'page':
        endChallenge();
        closeChallenge = openPage(news.page, {
          origin: base.origin,
          onReturn: (returned) => frame.send({ kind: 'challengeReturned', returned }),
          onClose: () => frame.send({ kind: 'challengeClosed', paymentId: news.page.paymentId }),
        });
        return;
      case 'awaitingFunds':
        if (awaited.has(news.payment.paymentId)) return;
        awaited.add(news.payment.paymentId);
        options.onAwaitingFunds?.(news.payment);
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

  // The page has its handle before the first state is reported.
  queueMicrotask(() => {
    if (isOpen) options.onStateChange?.('loading');
  });
  const frame = openCardFrame(host, {
    origin: base.origin,
    address,
    configuration: () => configuration,
    hear,
    onUnreachable() {
      enter('unavailable');
      options.onError?.({
        code: 'frame_unreachable',
        message: `The card frame did not load from ${base.origin}. Check that the service responds, and that ${location.origin} is one of the account's allowed origins.`,
      });
    },
    onAgain: () => enter('loading'),
  });

  return {
    get state() {
      return state;
    },
    update(changes) {
      const next = withChanges(options, changes);
      configuration = configurationOf(next);
      options = next;
      frame.configure();
    },
    refresh: () =>
      new Promise((resolve) => {
        asked += 1;
        // A frame that is still loading reads the session when it is ready.
        if (frame.send({ kind: 'refresh', id: asked })) refreshing.set(asked, resolve);
        else resolve();
      }),
    destroy() {
      isOpen = false;
      endChallenge();
      frame.close();
      endRefreshes();
    },
  };
}

function elementOf({ element }: CheckoutOptions): HTMLElement {
  const found = typeof element === 'string' ? document.querySelector(element) : element;
  if (!(found instanceof HTMLElement)) throw new TypeError(`Counterfoil: no element matches ${String(element)}`);
  return found;
}

/** The configuration for the frame, with defaults. */
function configurationOf({
  clientToken,
  locale,
  appearance = {},
  orderSummary = true,
}: CheckoutOptions): Configuration {
  if (claimsOf(clientToken) === undefined)
    throw new TypeError('Counterfoil: clientToken is not a client token of a session');
  const faults = faultsOfAppearance(appearance);
  if (faults.length > 0) throw new TypeError(`Counterfoil: not allowed: ${faults.join(', ')}`);
  return { clientToken, locale: locale ?? pageLocale(), appearance, orderSummary };
}

/** `options` with the changes that are named; a member that is undefined changes nothing. */
function withChanges(options: CheckoutOptions, changes: CheckoutChanges): CheckoutOptions {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...options, ...Object.fromEntries(named) };
}

const pageLocale = (): string => document.documentElement.lang || navigator.language || 'en';
