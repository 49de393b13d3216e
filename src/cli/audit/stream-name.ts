// The stream that an argument names; a text that names none is wrong usage.
import { namedStream } from '../../queries/streams/named-stream.ts';
import { WrongUsage } from '../exit.ts';

/** `payment-pay_…` for `payment-pay_…` and for `pay_…`. Throws WrongUsage for a text that is neither. */
export function streamNameOf(text: string): string {
  const stream = namedStream(text);
  if (stream === undefined)
    throw new WrongUsage(
      `${JSON.stringify(text)} is not a stream: allowed is <category>-<id>, or the id of a payment.`,
    );
  return stream;
}
