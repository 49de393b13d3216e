// The module that merchants import: /checkout/sdk/v1/counterfoil.mjs. The service is where the module came from.
import { checkout } from './checkout.ts';
import type { CounterfoilSdk } from './public.ts';

const base = new URL(/* @vite-ignore */ '../../', import.meta.url);

export const Counterfoil: CounterfoilSdk = { checkout: (options) => checkout(options, base) };
