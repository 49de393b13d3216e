// Faults against "No card numbers".
import { faultsOf } from './fault.ts';

export const CARD_NUMBERS = faultsOf('No card numbers', [
  {
    name: 'digits that are escaped in JSON pass',
    file: 'src/domain/card-number/check.ts',
    find: 'mayHoldCardNumber(raw) || ESCAPE.test(raw)',
    replace: 'mayHoldCardNumber(raw)',
  },
  {
    name: 'a customer id may hold a card number',
    file: 'src/domain/card-number/check.ts',
    find: "  'orderId',\n  'order.lineItems.*.itemId',",
    replace: "  'orderId',\n  'customerId',\n  'order.lineItems.*.itemId',",
  },
  {
    name: 'a card number that is a JSON number passes in metadata',
    file: 'src/domain/card-number/check.ts',
    find: 'isFreeJson(path) && holdsCardNumber(String(text));',
    replace: 'isFreeJson(path) && text < 0 && holdsCardNumber(String(text));',
  },
  {
    name: 'names of accounts and keys may hold a card number',
    file: 'src/domain/card-number/check.ts',
    find: 'holdsCardNumber(name) ? reject(',
    replace: "holdsCardNumber(name) && name === '' ? reject(",
  },
  {
    name: 'characters that nobody sees hide a card number',
    file: 'src/domain/card-number/search.ts',
    find: 'else if (sign === UNSEEN) gap = Math.max(gap, GAP);\n',
    replace: '',
  },
  {
    name: 'a notification is recorded with its card number',
    file: 'src/commands/notifications/receive-notification.ts',
    find: 'const masked = maskCardNumbers(raw);',
    replace: 'const masked = raw;',
  },
  {
    name: "a processor's reports are recorded with a card number",
    file: 'src/commands/payments/processor-call.ts',
    find: 'if (maskCardNumbers(json) === json) return outcome;',
    replace: 'if (maskCardNumbers(json) !== undefined) return outcome;',
  },
  {
    name: "a receiver's answer is recorded with a card number",
    file: 'src/commands/webhooks/deliver-messages.ts',
    find: '  maskedText(body)\n    .slice(0, BODY_KEPT)',
    replace: '  body\n    .slice(0, BODY_KEPT)',
  },
  {
    name: "an operator's evidence is recorded with a card number",
    file: 'src/commands/payments/resolve-payment.ts',
    find: "const said = { source: 'operator', detail: maskedText(evidence) } as const;\n  const word",
    replace: "const said = { source: 'operator', detail: evidence } as const;\n  const word",
  },
  {
    name: 'a request id that is a card number is logged',
    file: 'src/http/middleware/frame.ts',
    find: ' && !holdsCardNumber(header)) return header;',
    replace: ') return header;',
  },
]);
