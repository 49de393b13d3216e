// Where a processor that cannot send a header reports: its path on the service's public address.
import type { Config } from '../config.ts';

/** `token`: '' for what all such URLs of the processor begin with. */
export function webhookUrlOf(
  config: Pick<Config, 'host' | 'port' | 'publicUrl'>,
  processor: string,
  token: string,
): string {
  const { host, port, publicUrl = `http://${host}:${port}` } = config;
  return `${publicUrl.replace(/\/+$/, '')}/webhooks/${processor}/${token}`;
}
