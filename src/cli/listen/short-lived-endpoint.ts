// A webhook endpoint that a command serves itself, on this machine, for as long as it runs. A command that was killed
// leaves nothing for good: the service disables a short-lived endpoint at the first message that nobody is there to
// take.
import type { ExistingEndpoint } from '../../domain/webhook-endpoint/state.ts';
import { webhookEndpoints } from '../../projections/models/webhook-endpoints.ts';
import { liveWorld } from '../../world.ts';
import { unlessRefused, untilEffective } from '../effect.ts';
import { WrongUsage } from '../exit.ts';
import type { Opened } from '../open/open.ts';
import { closeGracefully, listen } from '../serve/http-listener.ts';
import { endpointServer, type TakeDelivery } from './endpoint-server.ts';

export interface ShortLivedEndpoint {
  readonly id: string;
  /** `whsec_…` */
  readonly secret: string;
  readonly url: string;
  /** The reason why nothing more arrives; undefined while it is enabled. Throws StoreUnavailable. */
  ended(): Promise<ExistingEndpoint['disabled']>;
  /** Disables it; its server, where it has one, then lets calls under way end. Throws StoreUnavailable. */
  end(): Promise<void>;
}

interface WantedEndpoint {
  readonly accountId: string;
  /** Message types; undefined: all. */
  readonly events?: readonly string[] | undefined;
}

/** At a URL that the caller serves. Throws Refused for one that may be none, Unavailable, StoreUnavailable. */
export async function addShortLivedEndpoint(
  { service }: Pick<Opened, 'service'>,
  { accountId, events, url }: WantedEndpoint & { readonly url: string },
): Promise<ShortLivedEndpoint> {
  const wanted = { accountId, url, shortLived: true, ...(events !== undefined && { events }) };
  const added = unlessRefused(await service.webhooks.addWebhookEndpoint(wanted));
  await untilEffective(service, webhookEndpoints, added);
  const { id, secret } = added;
  return {
    id,
    secret,
    url,
    async ended() {
      const [row] = await service.readModels.get(webhookEndpoints, [id]);
      return row?.doc.status === 'disabled' ? row.doc.disabled : undefined;
    },
    async end() {
      const disabled = unlessRefused(await service.webhooks.disableWebhookEndpoint(id));
      await untilEffective(service, webhookEndpoints, disabled);
    },
  };
}

/** How long calls that run at the end may take. */
const GRACE_MS = 3_000;

/**
 * With a server of its own. `address`: of this machine, where the service calls it. Throws WrongUsage in live mode and
 * for an address that is none.
 */
export async function openShortLivedEndpoint(
  { service }: Pick<Opened, 'service'>,
  { address, ...wanted }: WantedEndpoint & { readonly address: string },
  take: TakeDelivery,
): Promise<ShortLivedEndpoint> {
  mustBeTestMode(service);
  // Another program may have the port later: without the path it learns nothing, and takes nothing.
  const path = `/${Buffer.from(liveWorld.randomBytes(12)).toString('hex')}`;
  const server = endpointServer(path, take);
  const origin = await listen(server, { host: address, port: 0 }).catch(() => {
    throw new WrongUsage(`--address is ${JSON.stringify(address)}: allowed is an address of this machine.`);
  });
  const stop = (): Promise<unknown> => closeGracefully(server, GRACE_MS, liveWorld);
  try {
    const endpoint = await addShortLivedEndpoint({ service }, { ...wanted, url: `${origin}${path}` });
    return { ...endpoint, end: () => endpoint.end().finally(stop) };
  } catch (fault) {
    await stop();
    throw fault;
  }
}

/** Throws WrongUsage. */
export function mustBeTestMode({ mode }: { readonly mode: 'test' | 'live' }): void {
  if (mode === 'live') throw new WrongUsage(LIVE);
}

const LIVE =
  'In live mode messages go to public https:// addresses, never to this machine. Add your receiver with `counterfoil webhooks endpoints add`, or develop against a service in test mode.';
