// Where the dashboard is, and a one-time link to it: the token stands in the fragment, which no browser sends and no log has.
import type { Config } from '../config.ts';

/** Without a slash at its end. `listening`: where this process listens, where the settings do not say how others reach it. */
export function urlOfDashboard({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>, listening?: string): string {
  const named = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return `${publicUrl ?? listening ?? `http://${named}:${port}`}/dashboard`;
}

export const welcomeLink = (dashboard: string, token: string): string => `${dashboard}/#/welcome/${token}`;
