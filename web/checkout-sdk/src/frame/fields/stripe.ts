// Stripe's own fields: its Payment Element for cards, and the confirmation token that it makes of what was entered. The
// fields are frames of Stripe's, so that no number reaches this page.
import type { ConfirmationTokenResult, StripePaymentElement } from '@stripe/stripe-js';
import { toStripe } from '../../../../../src/processors/stripe/amounts.ts';
import type { MadeToken, MountFields, Offered } from './processor-fields.ts';

export const mountFields: MountFields = async (place, { script, publishableKey }, offered) => {
  await loaded(script);
  const stripe = window.Stripe?.(publishableKey);
  if (stripe === undefined) throw new Error('The script of the fields made no Stripe.');
  const elements = stripe.elements({
    ...shownFor(offered),
    mode: 'payment',
    captureMethod: 'manual',
    allowedPaymentMethodTypes: ['card'],
  });
  const element = elements.create('payment', {
    terms: { card: 'never' },
    wallets: { applePay: 'never', googlePay: 'never', link: 'never' },
  });
  await mounted(element, place);
  return {
    show: (now) => elements.update(shownFor(now)),
    async token() {
      const { error } = await elements.submit();
      return error === undefined ? madeBy(await stripe.createConfirmationToken({ elements })) : 'incomplete';
    },
    setDisabled: (readOnly) => element.update({ readOnly }),
    clear: () => element.clear(),
  };
};

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

const mounted = (element: StripePaymentElement, place: HTMLElement): Promise<void> =>
  new Promise((resolve, reject) => {
    element.on('ready', () => resolve());
    element.on('loaderror', ({ error }) => reject(new Error(error.message ?? error.type)));
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
