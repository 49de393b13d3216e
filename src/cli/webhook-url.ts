// Where a processor that cannot send a header reports: its path on the service's public address.
import type { Config } from '../config.ts';

type PublicAddress = Pick<Config, 'host' | 'port' | 'publicUrl'>;

export const webhookUrlOf = (config: PublicAddress, processor: string, token: string): string =>
  `${publicUrlOf(config)}/webhooks/${processor}/${token}`;

/** Without a slash at its end. */
export function publicUrlOf({ host, port, publicUrl }: PublicAddress): string {
  return publicUrl ?? `http://${host}:${port}`;
}
