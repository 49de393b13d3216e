// The service's page around a bank's page. Its own policy lists the origins that it may frame, so the shop's policy
// need not.
import { h } from './view/dom.ts';
import { spinner } from './view/icons.ts';

/**
 * `address`: of this page, with the bank's in its fragment. Forwards the message of the return page to the window
 * around it.
 */
export function showChallengePage(host: HTMLElement, address: URL): void {
  const { url, title } = Object.fromEntries(new URLSearchParams(address.hash.slice(1)));
  // A javascript: URL would run with this page's origin.
  if (url === undefined || !/^https?:/.test(url) || !URL.canParse(url)) return;
  if (title !== undefined) document.title = title;
  const bank = document.createElement('iframe');
  bank.allow = 'publickey-credentials-get; payment';
  bank.referrerPolicy = 'no-referrer';
  bank.title = new URL(url).host;
  bank.src = url;
  const waiting = spinner();
  bank.addEventListener('load', () => {
    bank.dataset['loaded'] = '';
    // A page without a ground of its own would let it through.
    waiting.remove();
  });
  window.addEventListener('message', ({ source, origin, data }: MessageEvent<unknown>) => {
    // This page's policy lists who may frame it, and the token is useless without the session's own.
    if (source !== null && source === bank.contentWindow && origin === address.origin)
      window.parent.postMessage(data, '*');
  });
  host.replaceChildren(h('div', { class: 'bank' }, waiting, bank));
}
