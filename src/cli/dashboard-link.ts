// The address of the dashboard, and a one-time link to it: only the fragment contains the token, and no browser sends a
// fragment and no log has it.
import type { Config } from '../config.ts';

/**
 * Without a slash at its end. `listening`: where this process listens, where the settings do not say how others reach
 * it.
 */
export function urlOfDashboard(
  { publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>,
  listening?: string,
): string {
  const named = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return `${publicUrl ?? listening ?? `http://${named}:${port}`}/dashboard`;
}

export const welcomeLink = (dashboard: string, token: string): string => `${dashboard}/#/welcome/${token}`;
