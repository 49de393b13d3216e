// A payment whose customer is challenged, as a merchant and a browser meet it over HTTP.
import { z } from 'zod';
import { bodyOf, CARDS, type Merchant, type Paying } from './http-merchant.ts';
import type { Request } from './http-request.ts';

/** The parts of the service that a test needs: its port, and the merchant who is paid. */
interface Serving {
  readonly port: number;
  readonly request: Request;
  readonly shop: Merchant;
}

export interface Challenged {
  readonly id: string;
  /** The client token that the required action came with. */
  readonly clientToken: string;
  /** The path of the page on which the customer is challenged. */
  readonly page: string;
}

export const ChallengedBody = z.looseObject({
  id: z.string(),
  status: z.literal('PENDING'),
  requiredAction: z.looseObject({ name: z.literal('3DS_AUTHENTICATION'), url: z.url(), clientToken: z.string() }),
});

/** A payment by a merchant's backend that waits for its customer. */
export async function challenged({ shop }: Serving, paying: Paying = {}): Promise<Challenged> {
  const { id, requiredAction } = bodyOf(await shop.pay({ card: CARDS.challenged, ...paying }), ChallengedBody);
  return { id, clientToken: requiredAction.clientToken, page: new URL(requiredAction.url).pathname };
}

/** Where the page leads after the customer has answered it. Throws where it leads nowhere. */
export async function answered(
  { port }: Pick<Serving, 'port'>,
  page: string,
  outcome: 'approve' | 'fail' = 'approve',
): Promise<URL> {
  const body = new URLSearchParams({ outcome });
  const answer = await fetch(`http://127.0.0.1:${port}${page}`, { method: 'POST', body, redirect: 'manual' });
  const location = answer.headers.get('Location');
  if (answer.status !== 303 || location === null)
    throw new Error(`the page answered ${answer.status}: ${await answer.text()}`);
  return new URL(location);
}

/** The token that the customer comes back with. */
export const resumeTokenIn = ({ searchParams }: URL): string => searchParams.get('resumeToken') ?? '';

/** A payment whose customer has acted and is on the way back. */
export async function returning(
  http: Serving,
  paying: Paying = {},
): Promise<Challenged & { readonly resumeToken: string }> {
  const payment = await challenged(http, paying);
  return { ...payment, resumeToken: resumeTokenIn(await answered(http, payment.page)) };
}
