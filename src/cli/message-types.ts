// Types of messages as people type them: in any case, and with a hint where there is no such type.
import { InvalidArgumentError } from 'commander';
import { WEBHOOK_TYPES, type WebhookType } from '../domain/webhook-endpoint/types.ts';

/** For commander: `payment.refund,DISPUTE.OPENED`. */
export function parseMessageTypes(text: string): readonly WebhookType[] {
  return text.split(',').map((name) => parseMessageType(name.trim()));
}

/** Throws InvalidArgumentError with the near ones, or with all. */
export function parseMessageType(name: string): WebhookType {
  const known = WEBHOOK_TYPES.find((type) => type === name.toUpperCase());
  if (known !== undefined) return known;
  const near = nearOnes(name.toUpperCase());
  throw new InvalidArgumentError(
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `The types are: ${WEBHOOK_TYPES.join(', ')}.`,
  );
}

/** Letters that may be wrong. */
const MOST_WRONG = 3;

function nearOnes(name: string): readonly WebhookType[] {
  const words = name.split(/[^A-Z]+/).filter((word) => word !== '');
  const alike = WEBHOOK_TYPES.filter((type) => distance(type, name) <= MOST_WRONG);
  if (alike.length > 0) return alike;
  return WEBHOOK_TYPES.filter(
    (type) => words.length > 0 && words.every((word) => type.split('.').some((part) => part.startsWith(word))),
  );
}

/** Letters to add, remove or change until one text is the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (const [place, other] of [...b].entries()) {
      const [left = 0, above = 0, before = 0] = [next[place], row[place + 1], row[place]];
      next.push(Math.min(left + 1, above + 1, before + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? a.length;
}
