// The address of the Webhooks page: its tab, and whether only failing endpoints are listed.
interface WebhooksSearch {
  readonly tab?: 'incoming';
  readonly health?: 'failing';
}

/** Anything else in the address is left out. */
export const webhooksSearch = ({ tab, health }: Readonly<Record<string, unknown>>): WebhooksSearch =>
  tab === 'incoming' ? { tab } : health === 'failing' ? { health } : {};
