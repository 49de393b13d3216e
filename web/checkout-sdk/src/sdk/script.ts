// The SDK as one script without modules: /checkout/sdk/v1/counterfoil.js sets `Counterfoil` on the window.
import { checkout } from './checkout.ts';
import type { CounterfoilSdk } from './public.ts';

declare global {
  interface Window {
    Counterfoil?: CounterfoilSdk;
  }
}

const script = document.currentScript;
if (!(script instanceof HTMLScriptElement) || script.src === '')
  throw new TypeError('Counterfoil: load this file with <script src>');
const base = new URL('../../', script.src);

window.Counterfoil = { checkout: (options) => checkout(options, base) };
