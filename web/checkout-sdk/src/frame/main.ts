// The frame's page. It greets the page around it, accepts one channel from it, and draws the checkout or shows a bank's
// page.
import { type Connect, type FromFrame, HELLO, type Hello, isConnect, type ToFrame } from '../shared/protocol.ts';
import { showChallengePage } from './challenge-page.ts';
import { CheckoutFrame } from './checkout-frame.ts';
import './frame.css';

const root = document.querySelector('main');
const address = new URL(window.location.href);
if (root !== null && window.parent !== window) {
  if (address.searchParams.has('challenge')) showChallengePage(root, address);
  else start(root);
}

function start(host: HTMLElement): void {
  const onMessage = ({ source, origin, data, ports }: MessageEvent<unknown>): void => {
    const [port] = ports;
    // Only the page around this one may connect, and only from a web origin. The browser itself applies frame-ancestors
    // to it.
    if (
      source !== window.parent ||
      !/^https?:\/\//.test(origin) ||
      !isParent(origin) ||
      port === undefined ||
      !isConnect(data)
    )
      return;
    window.removeEventListener('message', onMessage);
    connect(host, port, data);
  };
  window.addEventListener('message', onMessage);
  const hello: Hello = { counterfoil: HELLO };
  window.parent.postMessage(hello, '*');
}

/** True if the page around this one has the origin, and if the browser does not report it (Firefox). */
function isParent(origin: string): boolean {
  const ancestors: DOMStringList | undefined = window.location.ancestorOrigins;
  return ancestors === undefined || ancestors[0] === origin;
}

function connect(host: HTMLElement, port: MessagePort, { configuration }: Connect): void {
  const tell = (news: FromFrame): void => port.postMessage(news);
  const checkout = new CheckoutFrame(host, address, tell);
  port.onmessage = ({ data }: MessageEvent<ToFrame>) => {
    if (data.kind === 'configure') checkout.configure(data.configuration);
    else if (data.kind === 'refresh') void checkout.refresh().then(() => tell({ kind: 'refreshed', id: data.id }));
    else if (data.kind === 'challengeReturned') void checkout.challengeReturned(data.returned);
    else if (data.kind === 'challengeClosed') checkout.challengeClosed(data.paymentId);
  };
  new ResizeObserver(() => tell({ kind: 'height', px: Math.ceil(host.getBoundingClientRect().height) })).observe(host);
  // A page restored from the browser's history may be older than the session.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void checkout.refresh();
  });
  checkout.configure(configuration);
}
