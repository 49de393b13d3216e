// counterfoil demo --shop: the demo shop on a service, until Ctrl-C. The shop is what a merchant would run; only its
// key is the demo's.
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { liveWorld } from '../../world.ts';
import { onInterrupt, Refused } from '../exit.ts';
import type { Opened } from '../open/open.ts';
import { print, tell } from '../output.ts';
import { builtFolder } from '../read-web-files.ts';
import { closeGracefully, listen } from '../serve/http-listener.ts';
import type { ServiceForDemo } from './service-for-demo.ts';

/** The exports of the built shop (web/demo-shop). */
interface Shop {
  shop(options: ShopNeeds & { readonly assets: ReadonlyMap<string, string> }): { callback(): RequestListener };
}

const isShop = (module: unknown): module is Shop =>
  typeof module === 'object' && module !== null && 'shop' in module && typeof module.shop === 'function';

interface ShopNeeds {
  readonly apiKey: string;
  /** The URL of the service. */
  readonly counterfoilUrl: string;
  /** The secret of the endpoint that leads to the shop. */
  readonly webhookSecret: string;
  /** The eventId up to which events are known; undefined: there is none before. */
  readonly after: string | undefined;
  /** How often (ms) the shop reads events that no webhook reported; a minute by default. */
  readonly catchUpEveryMs?: number;
  /** The cards that its payment page lists; by default the sandbox's. */
  readonly testCards?: 'sandbox' | 'processor';
  /** Ends the shop's own work. */
  readonly signal: AbortSignal;
}

/** Where the shop takes its webhooks. */
export const SHOP_WEBHOOKS = '/webhooks/counterfoil';

/** The built shop, to be listened with. Throws Refused if it is not built. */
export async function loadShop(needs: ShopNeeds): Promise<RequestListener> {
  const folder = builtFolder('shop');
  const module: unknown = await import(pathToFileURL(join(folder, 'server.js')).href).catch(() => undefined);
  if (!isShop(module)) throw new Refused('The shop is not built: run `npm run build`.');
  return module.shop({ ...needs, assets: await textsIn(join(folder, 'assets')) }).callback();
}

/** How long requests that run at Ctrl-C may take. */
const GRACE_MS = 3_000;

interface ShopFlags {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly json: boolean | undefined;
  /** The name of the connection that it pays by; undefined: the sandbox takes the cards. */
  readonly connection?: string | undefined;
}

/**
 * The account whose payments go by the active connection of this name. Throws Refused where there is none, where the
 * account pays by another one, or where a browser could make nothing with its fields.
 */
export const accountPayingBy =
  (name: string) =>
  async ({ service }: Opened): Promise<string> => {
    const active = await service.connections.list({ isActive: true });
    const found = active.find(({ doc }) => doc.name === name);
    if (found === undefined) throw new Refused(`There is no active connection named ${name}.`);
    const { accountId, publishableKey } = found.doc;
    const paying = active.find(({ doc }) => doc.accountId === accountId);
    if (paying !== undefined && paying !== found)
      throw new Refused(`The account pays by its oldest active connection, ${paying.doc.name} (${paying.id}).`);
    if (publishableKey === undefined)
      throw new Refused(
        `The fields need a key: \`counterfoil connections rotate ${found.id} --publishable-key pk_…\`.`,
      );
    return accountId;
  };

/** Resolves when the shop has ended by a signal. Throws what loadShop and listen throw. */
export async function runShop(
  { url: counterfoilUrl, key, inMemory, skip, addEndpoint }: ServiceForDemo,
  { host, port, json, connection }: ShopFlags,
): Promise<void> {
  const server = createServer();
  const url = await listen(server, { host, port });
  const interrupts = onInterrupt();
  try {
    const endpoint = await addEndpoint(`${url}${SHOP_WEBHOOKS}`);
    try {
      const needs: ShopNeeds = {
        ...(connection !== undefined && { testCards: 'processor' }),
        apiKey: key,
        counterfoilUrl,
        webhookSecret: endpoint.secret,
        after: endpoint.after,
        signal: interrupts.signal,
      };
      server.on('request', await loadShop(needs));
      const cards =
        connection === undefined
          ? 'The payment page lists the test cards and accounts.'
          : `The connection ${connection} takes the cards.`;
      const days = skip === undefined ? 'Run `counterfoil sandbox clock advance 7d`' : 'Press Enter';
      const methods =
        connection === undefined
          ? `\nChoose iDEAL to pay on a page, Multibanco to pay with a voucher, or a direct debit, which takes 5 days. ${days} to let 7 days pass.`
          : '';
      const text = `Shop: ${url}\nPayments go to ${counterfoilUrl}${inMemory ? ', a service in memory that ends with the shop' : ''}.\n${cards}${methods}\nWebhooks update the order pages. Press Ctrl-C to stop.`;
      print(
        { json: { shopUrl: url, url: counterfoilUrl, inMemory, endpointId: endpoint.id }, text },
        { json: json === true },
      );
      const keys = skip === undefined ? undefined : lettingDaysPass(skip);
      await aborted(interrupts.signal);
      keys?.close();
      tell('The shop has stopped.');
    } finally {
      await endpoint.end();
    }
  } finally {
    interrupts.stop();
    await closeGracefully(server, GRACE_MS, liveWorld);
  }
}

const DAYS = 7;
const DAY_MS = 86_400_000;

/** Moves the business clock of the demo's own service by a week with each line, until it is closed. */
function lettingDaysPass(skip: NonNullable<ServiceForDemo['skip']>): Interface {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', () => {
    skip(DAYS * DAY_MS).then(
      () => tell(`${DAYS} days have passed.`),
      (fault: unknown) => tell(`The business clock did not move: ${String(fault)}`),
    );
  });
  return lines;
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function textsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}
