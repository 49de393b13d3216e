// A merchant's page on an origin of its own: it loads the SDK from the service as any shop does, and keeps what the SDK
// says.
import { createServer, type Server } from 'node:http';
import type { FrameLocator, Page } from 'playwright-core';
import { z } from 'zod';
import { portOf } from '../../http/frame/serve.ts';
import { type HttpService, type HttpServiceOptions, serveHttp } from '../../support/http-service.ts';

/** As a module, or as the script file of shops without modules. */
const opening = (service: string, isScript: boolean): string =>
  isScript
    ? `<script src="${service}/checkout/sdk/v1/counterfoil.js"></script>\n<script>`
    : `<script type="module">\nimport { Counterfoil } from '${service}/checkout/sdk/v1/counterfoil.mjs';`;

const page = (service: string, isScript: boolean): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A shop</title>
<style>
:root { color-scheme: light dark; font-family: system-ui, sans-serif; background: #fff; color: #151b27; }
a { color: inherit; }
@media (prefers-color-scheme: dark) { :root { background: #0f1218; color: #e8ebf1; } }
main { box-sizing: border-box; max-width: 480px; margin: 0 auto; padding: 24px 16px; }
</style>
</head>
<body>
<main><h1>Checkout</h1><div id="pay"></div><a href="/elsewhere">Elsewhere</a></main>
${opening(service, isScript)}
window.news = [];
window.start = (options) => {
  window.checkout = Counterfoil.checkout({
    element: '#pay',
    onComplete: (payment) => news.push({ kind: 'complete', ...payment }),
    onAwaitingFunds: (payment) => news.push({ kind: 'awaitingFunds', ...payment }),
    onError: (error) => news.push({ kind: 'error', ...error }),
    onStateChange: (state) => news.push({ kind: 'state', state }),
    ...options,
  });
};
window.isReady = true;
</script>
</body>
</html>`;

/** The page of the shop that loads the script file. */
export const SCRIPT_PATH = '/script';

export interface Shop {
  /** Its origin. */
  readonly url: string;
  readonly close: () => void;
}

/** `service`: the origin of the service. */
export async function openShop(service: string): Promise<Shop> {
  const server: Server = createServer(({ url }, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(page(service, url === SCRIPT_PATH));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A service and a shop that takes its checkout, for the tests of a describe; both end with them. */
export interface Places {
  readonly http: HttpService;
  readonly shop: Shop;
  /** The origin of the service. */
  readonly service: string;
}

export function openPlaces(options: HttpServiceOptions = {}): Places {
  let opened: Places | undefined;
  before(async () => {
    const http = await serveHttp({ sandboxInMemory: true, ...options });
    const service = `http://127.0.0.1:${http.port}`;
    opened = { http, service, shop: await openShop(service) };
  });
  after(async () => {
    opened?.shop.close();
    await opened?.http.stop();
  });
  const now = (): Places => {
    if (opened === undefined) throw new Error('the service is not open yet');
    return opened;
  };
  return {
    get http() {
      return now().http;
    },
    get shop() {
      return now().shop;
    },
    get service() {
      return now().service;
    },
  };
}

const News = z.array(
  z.looseObject({
    kind: z.string(),
    state: z.string().optional(),
    paymentId: z.string().optional(),
    code: z.string().optional(),
  }),
);

/** The checkout on a page of the shop. */
export interface Shopper {
  readonly page: Page;
  readonly frame: FrameLocator;
  /** Draws the checkout, again after a reload. */
  readonly start: (options: object) => Promise<void>;
  /** The value of an expression in the card frame. */
  readonly inFrame: (expression: string) => Promise<unknown>;
  readonly news: () => Promise<z.output<typeof News>>;
  readonly states: () => Promise<readonly string[]>;
  /** Fills the card in as a shopper does, and waits until the form is there. */
  readonly fill: (number: string) => Promise<void>;
  readonly pay: () => Promise<void>;
  /** Waits for a message in place of the form: complete, pending, expired … */
  readonly message: (kind: string) => Promise<void>;
}

export async function visit(page: Page, shop: Shop, path = '/'): Promise<Shopper> {
  await page.goto(`${shop.url}${path}`);
  const frame = page.frameLocator('#pay iframe');
  const news = async () => News.parse(await page.evaluate('news'));
  return {
    page,
    frame,
    async start(options) {
      await page.waitForFunction('window.isReady');
      await page.evaluate(`start(${JSON.stringify(options)})`);
    },
    inFrame(expression) {
      const card = page.frames().find((one) => /\/checkout\/(?:frame|fields)\?/.test(one.url()));
      if (card === undefined) throw new Error('the page has no card frame');
      return card.evaluate(expression);
    },
    news,
    states: async () => (await news()).flatMap(({ state }) => state ?? []),
    async fill(number) {
      await frame.locator('[name=number]').fill(number);
      await frame.locator('[name=expiry]').fill('12 / 39');
      await frame.locator('[name=cvc]').fill('123');
      await frame.locator('[name=name]').fill('Ada Lovelace');
    },
    pay: () => frame.locator('button.pay').click(),
    message: (kind) => frame.locator(`[data-message=${kind}]`).waitFor(),
  };
}
