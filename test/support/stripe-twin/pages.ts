// What the twin serves to browsers: the page of the challenge, and the stand-in of Stripe.js.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerChallenge } from './browser.ts';
import type { Serving } from './execution.ts';
import { Failure } from './failure.ts';
import { FIELDS_AT, FIELDS_PAGE, stripeJs } from './stripe-js.ts';
import type { Webhooks } from './webhooks.ts';

/** True if it has answered: the path is that of a page. */
export function servePages(
  serving: Serving & { readonly webhooks: Webhooks },
  { method = 'GET', url = '/' }: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { engine, accounts, webhooks } = serving;
  const { pathname, searchParams } = new URL(url, 'http://twin');
  if (method === 'GET' && /^\/(?:v3\/?|stripe\.js|endive\/stripe\.js)$/.test(pathname)) {
    response.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8' }).end(stripeJs(engine.url));
    return true;
  }
  if (method === 'GET' && pathname === FIELDS_AT) {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(FIELDS_PAGE);
    return true;
  }
  const [, id = '', answer] = /^\/challenge\/([^/]+)(?:\/(approve|fail))?$/.exec(pathname) ?? [];
  const account = accounts.find((one) => one.intents.has(id));
  const intent = account?.intents.get(id);
  if (account === undefined || intent === undefined) return false;
  if (searchParams.get('client_secret') !== intent.clientSecret) {
    response.writeHead(403).end();
    return true;
  }
  if (method === 'POST' && (answer === 'approve' || answer === 'fail')) {
    try {
      const back = answerChallenge(engine, account, id, answer);
      response.writeHead(303, { Location: back ?? `${engine.url}/challenge/${id}${query(intent.clientSecret)}` }).end();
    } catch (error) {
      response.writeHead(error instanceof Failure ? error.status : 409).end(String(error));
    }
    void webhooks.flush('before').then(() => webhooks.flush('after'));
    return true;
  }
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(challengePage(id, intent.clientSecret));
  return true;
}

const query = (secret: string): string => `?client_secret=${secret}`;

function challengePage(id: string, secret: string): string {
  const button = (answer: string, text: string): string =>
    `<form method="post" action="/challenge/${id}/${answer}${query(secret)}"><button id="${answer}">${text}</button></form>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>3-D Secure</title></head><body>
<h1>Confirm your payment</h1>${button('approve', 'Approve')}${button('fail', 'Fail')}</body></html>`;
}
