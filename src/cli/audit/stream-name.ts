// The stream that an argument names: by its whole name, or by the id of its subject.
import { streamOf } from '../../stores/stream-name.ts';
import { WrongUsage } from '../exit.ts';

const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ['pay', 'payment'],
  ['cs', 'clientSession'],
  ['pm', 'paymentInstrument'],
  ['key', 'apiKey'],
  ['acc', 'account'],
]);

/** `payment-pay_…` for `payment-pay_…` and for `pay_…`. Throws WrongUsage for a text that is neither. */
export function streamNameOf(text: string): string {
  if (text.indexOf('-') > 0) return text;
  const category = CATEGORIES.get(text.slice(0, Math.max(0, text.indexOf('_'))));
  if (category === undefined)
    throw new WrongUsage(`${JSON.stringify(text)} is no stream: allowed is <category>-<id>, or the id of a payment.`);
  return streamOf(category, text);
}
