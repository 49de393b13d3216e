// The one call of the page of a payment link: what it shows, and the client token of the checkout.

export interface Link {
  readonly status: string;
  readonly shopName: string | undefined;
  readonly orderId: string | undefined;
  /** ms */
  readonly expiresAt: number;
  /** Undefined: the link takes no payment. */
  readonly clientToken: string | undefined;
  /** The whole response, for the summary of the order. */
  readonly body: unknown;
}

const textIn = (body: object, name: string): string | undefined => {
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : undefined;
};

/** `unknown`: the service knows no such link. `unreachable`: it did not say. */
export async function openLink(): Promise<Link | 'unknown' | 'unreachable'> {
  const { pathname, hash } = window.location;
  const answer = await fetch(`${pathname}/open`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Csrf': '1' },
    body: JSON.stringify({ secret: hash.slice(1) }),
  }).catch(() => undefined);
  if (answer?.status === 404 || answer?.status === 422) return 'unknown';
  const body: unknown = answer?.ok === true ? await answer.json().catch(() => undefined) : undefined;
  if (typeof body !== 'object' || body === null) return 'unreachable';
  return {
    status: textIn(body, 'status') ?? '',
    shopName: textIn(body, 'shopName'),
    orderId: textIn(body, 'orderId'),
    expiresAt: Date.parse(textIn(body, 'expiresAt') ?? ''),
    clientToken: textIn(body, 'clientToken'),
    body,
  };
}
