// A webhook endpoint of the demo's own, which ends with the demo; where the demo was killed, at the first message that nobody takes.
import { publicEventId } from '../../domain/public-event-id.ts';
import { webhookEndpoints } from '../../projections/models/webhook-endpoints.ts';
import { newestMessage } from '../../queries/list-messages.ts';
import { unlessRefused, untilEffective } from '../effect.ts';
import type { Opened } from '../open/open.ts';

export interface DemoEndpoint {
  readonly id: string;
  /** `whsec_…` */
  readonly secret: string;
  /** The eventId of the account's newest message when the endpoint was made; undefined: there is none. */
  readonly after: string | undefined;
  /** Disables it. */
  end(): Promise<void>;
}

/** Throws Refused for a URL that may be none. */
export async function addDemoEndpoint({ service }: Opened, accountId: string, url: string): Promise<DemoEndpoint> {
  const newest = await newestMessage(service.readModels, accountId);
  const added = unlessRefused(await service.webhooks.addWebhookEndpoint({ accountId, url, shortLived: true }));
  await untilEffective(service, webhookEndpoints, added);
  const { id, secret } = added;
  const end = async (): Promise<void> => {
    const disabled = unlessRefused(await service.webhooks.disableWebhookEndpoint(id));
    await untilEffective(service, webhookEndpoints, disabled);
  };
  return { id, secret, after: newest === undefined ? undefined : publicEventId(newest), end };
}
