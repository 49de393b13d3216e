// The customer at the browser: answers the challenge, goes back to the shop, and confirms again with the client secret.
import type Stripe from 'stripe';
import { intentAnswer } from './answers.ts';
import { confirmIntent, failChallenge, passChallenge } from './confirming.ts';
import type { Call, Engine } from './engine.ts';
import { Failure } from './failure.ts';
import { intentOf } from './payment-intents.ts';
import type { Account, Intent } from './state.ts';

/** Passes or fails the challenge. The URL that the browser is sent to, or undefined if none was given. */
export function answerChallenge(
  engine: Engine,
  account: Account,
  id: string,
  answer: 'approve' | 'fail',
): string | undefined {
  const intent = unlocked(intentOf(account, id));
  const returnUrl = intent.action?.returnUrl;
  const call: Call = { account, requestId: undefined, key: undefined };
  const isRefused = answer === 'fail' ? undefined : refusalOf(() => passChallenge(engine, call, intent));
  if (answer === 'fail') failChallenge(engine, call, intent);
  if (returnUrl === undefined) return undefined;
  const url = new URL(returnUrl);
  url.searchParams.set('payment_intent', intent.id);
  url.searchParams.set('payment_intent_client_secret', intent.clientSecret);
  url.searchParams.set('redirect_status', answer === 'fail' || isRefused === true ? 'failed' : 'succeeded');
  return url.href;
}

/** Confirms again with a payment method of Stripe's test names, as a page can that has the client secret. */
export function confirmAgain(engine: Engine, account: Account, id: string, name: string): Stripe.PaymentIntent {
  const intent = unlocked(intentOf(account, id));
  const call: Call = { account, requestId: undefined, key: undefined, isBrowser: true };
  refusalOf(() => confirmIntent(engine, call, intent, { payment_method: name }));
  return intentAnswer(account, intent);
}

function unlocked(intent: Intent): Intent {
  if (intent.isLocked) throw new Error(`another request on ${intent.id} runs`);
  return intent;
}

/** True if the card was declined. */
function refusalOf(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch (error) {
    if (error instanceof Failure && error.status === 402) return true;
    throw error;
  }
}
