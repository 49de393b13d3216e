// The payment page: fetches the token of the cart's session and lets Counterfoil draw the card fields.
import type { CounterfoilSdk } from '../../../checkout-sdk/src/sdk/public.ts';

/** What the module exports. A shop elsewhere takes the types from the service: /checkout/sdk/v1/counterfoil.d.mts. */
interface SdkModule {
  readonly Counterfoil: CounterfoilSdk;
}

interface Ready {
  readonly clientToken: string;
  readonly orderUrl: string;
}

const element = document.querySelector<HTMLElement>('#checkout');
const notice = document.querySelector<HTMLElement>('#notice');

function tell(words: string, link?: string): void {
  if (notice === null) return;
  notice.textContent = words;
  if (link !== undefined)
    notice.append(' ', Object.assign(document.createElement('a'), { href: link, textContent: 'View your order' }));
  notice.hidden = false;
}

async function start(target: HTMLElement): Promise<void> {
  const answer = await fetch('/checkout', { method: 'POST' });
  // The cart is paid already: the server leads to its order.
  if (answer.redirected) return location.replace(answer.url);
  if (!answer.ok) throw new Error(`the shop answered ${answer.status}`);
  const { clientToken, orderUrl }: Ready = await answer.json();
  const sdk: SdkModule = await import(
    /* @vite-ignore */ `${target.dataset['counterfoil']}/checkout/sdk/v1/counterfoil.mjs`
  );
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  sdk.Counterfoil.checkout({
    clientToken,
    element: target,
    orderSummary: false,
    appearance: {
      variables: {
        colorPrimary: value('--accent'),
        colorOnPrimary: value('--on-accent'),
        colorBackground: value('--raised'),
        colorField: value('--ground'),
        colorText: value('--text'),
        colorTextMuted: value('--muted'),
        borderRadius: '10px',
        fontFamily: 'ui-sans-serif, system-ui, sans-serif',
      },
    },
    onComplete: () => location.replace(orderUrl),
    // The order page shows it as not paid yet, until a webhook reports the outcome days later.
    onAwaitingFunds: () => location.replace(orderUrl),
    onStateChange: (state) => {
      if (state === 'pending') tell('Your bank has not responded yet. You can leave this page.', orderUrl);
      else if (notice !== null) notice.hidden = true;
    },
    onError: ({ code, message }) => {
      console.warn(code, message);
      if (code === 'session_expired') location.reload();
    },
  });
}

if (element !== null) {
  start(element).catch((fault: unknown) => {
    console.warn(fault);
    tell('The payment could not be started. Please reload this page in a minute.');
  });
}
