// The stream that a text names: by its whole name, or by the id of its subject.
import { streamOf } from '../../stores/stream-name.ts';

const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ['pay', 'payment'],
  ['cs', 'clientSession'],
  ['pm', 'paymentInstrument'],
  ['key', 'apiKey'],
  ['acc', 'account'],
  ['act', 'act'],
]);

/** `payment-pay_…` for `payment-pay_…` and for `pay_…`; undefined for a text that is neither. */
export function namedStream(text: string): string | undefined {
  if (text.indexOf('-') > 0) return text;
  const category = CATEGORIES.get(text.slice(0, Math.max(0, text.indexOf('_'))));
  return category === undefined ? undefined : streamOf(category, text);
}
