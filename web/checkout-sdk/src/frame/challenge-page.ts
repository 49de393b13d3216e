// The page of the service around a bank's page: which origins it may hold stands in its own policy, so the shop's policy need not know them.
import { h } from './view/dom.ts';
import { spinner } from './view/icons.ts';

/** `address`: of this page, with the bank's in its fragment. Says to the window around it what the page of the way back says to this one. */
export function showChallengePage(host: HTMLElement, address: URL): void {
  const { url, title } = Object.fromEntries(new URLSearchParams(address.hash.slice(1)));
  // In this page's name a javascript: URL would run.
  if (url === undefined || !/^https?:/.test(url) || !URL.canParse(url)) return;
  if (title !== undefined) document.title = title;
  const bank = document.createElement('iframe');
  bank.allow = 'publickey-credentials-get; payment';
  bank.referrerPolicy = 'no-referrer';
  bank.title = new URL(url).host;
  bank.src = url;
  bank.addEventListener('load', () => {
    bank.dataset['loaded'] = '';
  });
  window.addEventListener('message', ({ source, origin, data }: MessageEvent<unknown>) => {
    // Who may frame this page stands in its policy, and the token is worth nothing without the session's own.
    if (source !== null && source === bank.contentWindow && origin === address.origin) window.parent.postMessage(data, '*');
  });
  host.replaceChildren(h('div', { class: 'bank' }, spinner(), bank));
}
