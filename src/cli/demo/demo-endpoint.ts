// A webhook endpoint of the demo's own, which ends with the demo; where the demo was killed, at the first message that
// nobody takes.
import { publicEventId } from '../../domain/public-event-id.ts';
import { newestMessage } from '../../queries/list-messages.ts';
import { addShortLivedEndpoint, type ShortLivedEndpoint } from '../listen/short-lived-endpoint.ts';
import type { Opened } from '../open/open.ts';

export interface DemoEndpoint extends Pick<ShortLivedEndpoint, 'id' | 'secret' | 'end'> {
  /** The eventId of the account's newest message when the endpoint was made; undefined: there is none. */
  readonly after: string | undefined;
}

/** Throws Refused for a URL that may be none. */
export async function addDemoEndpoint({ service }: Opened, accountId: string, url: string): Promise<DemoEndpoint> {
  const newest = await newestMessage(service.readModels, accountId);
  const endpoint = await addShortLivedEndpoint({ service }, { accountId, url });
  return { ...endpoint, after: newest === undefined ? undefined : publicEventId(newest) };
}
