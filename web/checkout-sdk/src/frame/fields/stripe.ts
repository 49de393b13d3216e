// Stripe's own fields: its Payment Element for each method, its Express Checkout Element for wallets, and the
// confirmation token that they make of what was entered. They are frames of Stripe's, so that no number reaches this
// page.
import type {
  ConfirmationTokenResult,
  Stripe,
  StripeElements,
  StripeError,
  StripeExpressCheckoutElement,
  StripePaymentElement,
} from '@stripe/stripe-js';
import { toStripe } from '../../../../../src/processors/stripe/amounts.ts';
import {
  captureMethodOf,
  STRIPES_METHODS,
  type StripesMethod,
  stripesName,
} from '../../../../../src/processors/stripe/methods.ts';
import type { MethodName } from '../methods.ts';
import type { OwnFields } from '../pay/answers.ts';
import type { FieldsModule, MadeToken, Offered } from './fields-module.ts';

/** A group of elements for each method: it must agree with the PaymentIntent, which is of one method too. */
export const mountFields: FieldsModule['mountFields'] = async (place, own, method, offered) => {
  const stripe = await stripeOf(own);
  const type = typeOf(method);
  const elements = stripe.elements({
    ...shownFor(offered),
    mode: 'payment',
    captureMethod: captureMethodOf(type),
    allowedPaymentMethodTypes: [stripesName(type)],
  });
  const element = elements.create('payment', {
    // Without the terms the debit has no mandate.
    terms: { card: 'never', sepaDebit: 'always' },
    wallets: { applePay: 'never', googlePay: 'never', link: 'never' },
  });
  await mounted(element, place);
  return {
    show: (now) => elements.update(shownFor(now)),
    token(keeps) {
      elements.update(futureUse({ keeps }));
      return tokenOf(stripe, elements);
    },
    setDisabled: (readOnly) => element.update({ readOnly }),
    clear: () => element.clear(),
  };
};

/** Stripe's Express Checkout Element. The wallet of a browser that has none is left out by Stripe. */
export const mountWallets: FieldsModule['mountWallets'] = async (place, own, offered, press) => {
  const stripe = await stripeOf(own);
  const elements = stripe.elements({
    ...shownFor(offered),
    ...futureUse(offered),
    mode: 'payment',
    captureMethod: 'manual',
    allowedPaymentMethodTypes: ['card'],
  });
  const theme = offered.look.isDark ? 'white' : 'black';
  const has = (wallet: MethodName): 'auto' | 'never' => (own.methods.includes(wallet) ? 'auto' : 'never');
  const element = elements.create('expressCheckout', {
    buttonHeight: 48,
    buttonTheme: { applePay: theme, googlePay: theme },
    paymentMethods: {
      applePay: has('APPLE_PAY'),
      googlePay: has('GOOGLE_PAY'),
      link: 'never',
      amazonPay: 'never',
      paypal: 'never',
      klarna: 'never',
    },
  });
  element.on('availablepaymentmethodschange', ({ paymentMethods }) =>
    press.available(Object.values(paymentMethods ?? {}).some((one) => one?.available === true)),
  );
  element.on('click', ({ resolve, reject }) => (press.mayOpen() ? resolve() : reject()));
  element.on('confirm', ({ expressPaymentType, paymentFailed }) => {
    const wallet = WALLETS[expressPaymentType];
    if (wallet === undefined) return paymentFailed();
    press.agreed(wallet, async () => {
      const made = await tokenOf(stripe, elements).catch(() => 'unreachable' as const);
      if (typeof made === 'string') paymentFailed();
      return made;
    });
  });
  await mounted(element, place);
  return { show: (now) => elements.update({ ...shownFor(now), ...futureUse(now) }) };
};

/** What the PaymentIntent will say, too. */
const futureUse = ({ keeps }: Pick<Offered, 'keeps'>) => ({
  setupFutureUsage: keeps ? ('off_session' as const) : null,
});

const WALLETS: { readonly [name: string]: MethodName | undefined } = {
  apple_pay: 'APPLE_PAY',
  google_pay: 'GOOGLE_PAY',
};

/** Throws for a method that is never offered at Stripe. */
function typeOf(method: MethodName): StripesMethod {
  const type = STRIPES_METHODS.find((one) => one === method);
  if (type === undefined) throw new Error(`Stripe does not have ${method}.`);
  return type;
}

async function stripeOf({ script, publishableKey }: OwnFields): Promise<Stripe> {
  await loaded(script);
  const stripe = window.Stripe?.(publishableKey);
  if (stripe === undefined) throw new Error('The script of the fields made no Stripe.');
  return stripe;
}

/** Rejects for faults of the network. */
async function tokenOf(stripe: Stripe, elements: StripeElements): Promise<MadeToken> {
  const { error } = await elements.submit();
  return error === undefined ? madeBy(await stripe.createConfirmationToken({ elements })) : 'incomplete';
}

function madeBy({ confirmationToken, error }: ConfirmationTokenResult): MadeToken {
  if (confirmationToken !== undefined) return { type: 'confirmation_token', token: confirmationToken.id };
  if (error.type === 'validation_error') return 'incomplete';
  return error.type === 'card_error' || error.type === 'invalid_request_error' ? 'refused' : 'unreachable';
}

/** Resolves when the script has run, which it does once for a page. Rejects where it does not load. */
function loaded(src: string): Promise<void> {
  if (window.Stripe !== undefined) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = src;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(`${src} did not load.`)));
    document.head.append(script);
  });
}

const mounted = (element: StripePaymentElement | StripeExpressCheckoutElement, place: HTMLElement): Promise<void> =>
  new Promise((resolve, reject) => {
    const failed = ({ error }: { readonly error: StripeError }): void => reject(new Error(error.message ?? error.type));
    // Two calls, one for the type of each element.
    if ('collapse' in element) element.on('ready', () => resolve()).on('loaderror', failed);
    else element.on('ready', () => resolve()).on('loaderror', failed);
    element.mount(place);
  });

/** What changes while they are shown. An amount that Stripe cannot take is refused when it is paid. */
function shownFor({ amount, currencyCode, lang, look }: Offered) {
  const { isDark, primary, field, text, muted, border, danger, font, size, radius } = look;
  return {
    amount: toStripe(amount, currencyCode) ?? amount,
    currency: currencyCode.toLowerCase(),
    locale: LOCALES.find((one) => one === lang) ?? 'auto',
    appearance: {
      theme: isDark ? 'night' : 'stripe',
      variables: {
        colorPrimary: primary,
        colorBackground: field,
        colorText: text,
        colorTextSecondary: muted,
        colorDanger: danger,
        fontFamily: font,
        fontSizeBase: size,
        borderRadius: radius,
      },
      rules: { '.Input': { borderColor: border } },
    },
  } as const;
}

const LOCALES = ['en', 'de', 'fr', 'es', 'it'] as const;
