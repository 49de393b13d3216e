// The processor of a whole service at the Stripe twin, and the card numbers that it pays with.
import { cardDataOf } from '../../../src/processors/card-data.ts';
import type { Call, Connection, Processor } from '../../../src/processors/processor.ts';
import { type NotificationKey, notifications } from '../../../src/projections/models/notifications.ts';
import type { Query } from '../../../src/stores/read-models.ts';
import type { HttpService } from '../../support/http-service.ts';
import { signatureOf } from '../../support/stripe-twin/webhooks.ts';
import { until } from '../../support/until.ts';
import { type TwinShop, WEBHOOK_SECRET } from './twin-shop.ts';

/**
 * By the connection to the twin, which no command can name yet; a card number is a token of the twin's by its name, as
 * the fields would have made one.
 */
export function atTwin({ stripe, connection }: TwinShop): Processor {
  const by = (call: Call): Call => ({ ...call, connection });
  const { prepare, fence, standing, dispute, lookUpDispute } = stripe;
  if (!prepare || !fence || !standing || !dispute || !lookUpDispute) throw new Error('the adapter lacks one of them');
  return {
    ...stripe,
    takesCards: true,
    capabilities: () => stripe.capabilities(connection),
    tokenize: async ({ from }) => {
      if (!('card' in from)) return { kind: 'refused', description: 'The test has no fields.' };
      const name = CARDS[from.card.number] ?? 'pm_card_visa';
      return { kind: 'token', processorToken: name, card: cardDataOf(from.card) };
    },
    prepare: (request, call) => prepare(request, by(call)),
    perform: (request, call) => stripe.perform(request, by(call)),
    lookUp: (request, call) => stripe.lookUp(request, by(call)),
    fence: (request, call) => fence(request, by(call)),
    standing: (question, call) => standing(question, by(call)),
    dispute: (request, call) => dispute(request, by(call)),
    lookUpDispute: (question, call) => lookUpDispute(question, by(call)),
    notifications: (raw, headers, _connection: Connection, now) => stripe.notifications(raw, headers, connection, now),
  };
}
export const DECLINED = '4000000000009995';
export const CHALLENGED = '4000000000003220';
export const PENDING_REFUND = '4000000000007726';
const CARDS: { readonly [number: string]: string } = {
  [DECLINED]: 'pm_card_chargeDeclinedInsufficientFunds',
  [CHALLENGED]: 'pm_card_threeDSecure2Required',
  [PENDING_REFUND]: 'pm_card_pendingRefund',
};

interface Telling {
  readonly secret?: string;
  readonly livemode?: boolean;
  /** Another text than the twin's. */
  readonly change?: (text: string) => string;
}

/** Resolves when every notification that came in was handled. */
export function handled({ service }: HttpService): Promise<void> {
  const unhandled: Query<NotificationKey>['where'] = { receivedAt: { from: 0 } };
  return until(async () => (await service.readModels.find(notifications, { where: unhandled, limit: 1 })).length === 0);
}

/** What a person does at Stripe itself: a POST with the account's key. */
export async function atStripe(
  { twin, connection }: TwinShop,
  path: string,
  form: Record<string, string> = {},
): Promise<void> {
  const { status } = await fetch(`${twin.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${connection.secrets['secretKey'] ?? ''}` },
    body: new URLSearchParams(form),
  });
  if (status !== 200) throw new Error(`Stripe answered ${path} with ${status}`);
}

/** The newest event of a type, as it comes in over HTTP; signed by the service's clock. Answers its status. */
export async function tellEvent(
  http: HttpService,
  shop: TwinShop,
  type: string,
  { secret = WEBHOOK_SECRET, livemode = false, change = (text) => text }: Telling = {},
): Promise<number> {
  const event = shop.twin.accounts[0].events.findLast((one) => one.type === type);
  const text = change(JSON.stringify({ ...event, livemode }));
  const headers = {
    'content-type': 'application/json',
    'stripe-signature': signatureOf([secret], text, http.world.now()),
  };
  return (await http.request('POST', '/webhooks/stripe', { key: http.shop.key, text, headers })).status;
}
