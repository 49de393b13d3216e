// The address of the Webhooks page: its tab.
interface WebhooksSearch {
  readonly tab?: 'incoming';
}

/** Anything else in the address is left out. */
export const webhooksSearch = ({ tab }: Readonly<Record<string, unknown>>): WebhooksSearch =>
  tab === 'incoming' ? { tab } : {};
