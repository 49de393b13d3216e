// The adapters that are broken on purpose in test/processors: those of Stripe as a change of the adapter, those of the
// stub as a change of Stripe's or of the sandbox where these have the same duty.
import { faultsOf } from './fault.ts';

const FENCE = '  const burn = await burnt(api, name, request.reference, call);\n';
const READ_FIRST = `  const told = await readIntent(api, name, call);
  if (told.kind !== 'told') return unreadBy(told);
`;
const STUB = 'test/processors/stub/broken.test.ts';

export const ADAPTER_FAULTS = [
  ...faultsOf('Broken adapter of Stripe', [
    {
      name: 'looks up by listing',
      file: 'src/processors/stripe/authorizing.ts',
      find: READ_FIRST,
      replace: `  const { z } = await import('zod');
  const query = \`metadata['counterfoil_reference']:'\${request.reference}'\`;
  const shape = z.looseObject({ data: z.array(z.unknown()) });
  const listed = await api.ask({ method: 'GET', path: \`\${INTENTS}/search\`, form: [['query', query]], shape }, call);
  if (listed.kind === 'told' && listed.value.data.length === 0) return { kind: 'not_found' };
${READ_FIRST}`,
    },
    {
      name: 'takes any 404 for not found',
      file: 'src/processors/stripe/authorizing.ts',
      find: READ_FIRST,
      replace: `  const told = await readIntent(api, name, call);
  if (told.kind !== 'told' && 'status' in told && told.status === 404) return { kind: 'not_found' };
  if (told.kind !== 'told') return unreadBy(told);
`,
    },
    {
      name: 'makes and confirms in one',
      file: 'src/processors/stripe/stripe.ts',
      find: "    prepare: (request, call) => prepare(api, request, call),\n    kept: (request, call) => kept(api, request, call),\n    perform: (request, call) =>\n      request.operation === 'authorization' ? confirm(api, request, call) : follow(api, request, call),\n",
      replace: `    kept: (request, call) => kept(api, request, call),
    perform: async (request, call) => {
      if (request.operation !== 'authorization') return follow(api, request, call);
      const made = await prepare(api, request, call);
      return made.kind === 'prepared'
        ? confirm(api, { ...request, processorTransactionId: made.processorTransactionId }, call)
        : made;
    },
`,
    },
    {
      name: 'fences by a read alone',
      file: 'src/processors/stripe/stripe.ts',
      find: '    fence: (request, call) => fence(api, request, call),\n',
      replace: `    fence: (request, call) =>
      request.operation === 'authorization'
        ? lookUpAuthorization(api, request, call)
        : lookUpFollowUp(api, request, call),
`,
    },
    {
      name: 'takes a used key for a burnt one',
      file: 'src/processors/stripe/fencing.ts',
      find: "      if (burn.kind !== 'ours') return unproven(burn);\n",
      replace: "      if (burn.kind !== 'ours') return { kind: 'not_found' };\n",
    },
    {
      name: 'reads, then cancels',
      file: 'src/processors/stripe/fencing.ts',
      find: FENCE,
      replace: `  if (request.operation === 'authorization') {
    const read = await readIntent(api, name, call);
    if (read.kind === 'told' && authorizationOf(read.value, request, read.detail).kind === 'unconfirmed') {
      await end(api, name, call);
      return { kind: 'not_found' };
    }
  }
${FENCE}`,
    },
    {
      name: 'reads one page of refunds',
      file: 'src/processors/stripe/refunding.ts',
      find: 'if (end >= 0 || !hasMore) return',
      replace: 'if (end >= 0 || !hasMore || page === 0) return',
    },
    {
      name: 'takes a lock for a refusal',
      file: 'src/processors/stripe/grading.ts',
      find: '    case 429:\n',
      replace:
        "    case 429:\n      if (error.code === 'lock_timeout') return { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'SOFT' };\n",
    },
    {
      name: 'is at a server that knows no keys',
      file: 'src/processors/stripe/api.ts',
      find: "        ...(key !== undefined && { 'Idempotency-Key': key }),\n",
      replace: '',
    },
    {
      name: 'reads notifications of the other mode',
      file: 'src/processors/stripe/notifications.ts',
      find: "  if (event.livemode !== (modeOf(connection) === 'live') || modeOf(connection) === undefined) return 'bad_signature';\n",
      replace: '',
    },
    {
      name: 'takes a refusal for final',
      file: 'src/processors/stripe/authorizing.ts',
      find: "return undone.processorTransactionId === undefined ? refused : { ...refused, fence: 'owed' };",
      replace: 'return refused;',
    },
    {
      name: 'fences a refusal by a read',
      file: 'src/processors/stripe/fencing.ts',
      find: '      // Both can be confirmed once more, by a page that has the client secret.\n',
      replace: `      if (state.kind === 'declined') {
        const { fence: _read, ...read } = state;
        return read;
      }
`,
    },
    {
      name: 'takes a customer who has to act for one who has paid',
      file: 'src/processors/stripe/authorized.ts',
      find: "    case 'requires_action':\n      return waiting(intent, request);",
      replace: "    case 'requires_action':\n      return authorized(intent, request, detail);",
    },
    {
      name: 'fences a customer action by a read',
      file: 'src/processors/stripe/fencing.ts',
      find: '      if (isOver) return state;\n',
      replace: "      if (isOver || state.kind === 'requires_action') return state;\n",
    },
    {
      name: 'charges a saved card without saying what for',
      file: 'src/processors/stripe/authorizing.ts',
      find: '  [`${CARD}[stored_credential_usage]`, laterUsageOf(about)],\n',
      replace: '',
    },
    {
      name: 'takes instalments for a subscription',
      file: 'src/processors/stripe/authorizing.ts',
      find: "return agreement?.kind === 'INSTALLMENT' ? 'installment' : usageOf(paymentType);",
      replace: 'return usageOf(paymentType);',
    },
    {
      name: 'takes the word of an updater for one about any card',
      file: 'src/processors/stripe/notifications.ts',
      find: "      instrument: 'updated',\n      processorToken,\n",
      replace: "      instrument: 'updated',\n      processorToken: 'pm_any',\n",
    },
    {
      name: 'reports the word of an updater again each time that it comes',
      file: 'src/processors/stripe/notifications.ts',
      find: '[{ notificationId: event.id,',
      replace: '[{ notificationId: `${event.id}${Math.random()}`,',
    },
    {
      name: 'takes a new expiry for the end of the card',
      file: 'src/processors/stripe/notifications.ts',
      find: "      instrument: 'updated',\n",
      replace: "      instrument: 'closed',\n",
    },
    {
      name: 'hears nothing of mandates',
      file: 'src/processors/stripe/notifications.ts',
      find: "  if (type === 'mandate.updated') return wordOfObject(Mandate, data.object, mandateWord);\n",
      replace: '',
    },
  ]),
  ...faultsOf('Broken adapter of the stub', [
    {
      name: 'reports a decline as a success',
      file: 'src/processors/stripe/authorized.ts',
      find: "return error == null ? { kind: 'unconfirmed' } : { ...declinedBy(error, id), ...namesIn(intent) };",
      replace: "return error == null ? { kind: 'unconfirmed' } : authorized(intent, request, detail);",
    },
    {
      name: 'reports what is pending as declined',
      file: 'src/processors/stripe/authorized.ts',
      find: "return { kind: 'pending', processorTransactionId: id };",
      replace: "return { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD', processorTransactionId: id };",
    },
    {
      name: 'takes any 404 of a look-up for "not found"',
      file: 'src/processors/stripe/grading.ts',
      find: "return { kind: isWord ? 'unknown' : 'unreachable', detail: told.detail };",
      replace: "return { kind: isWord ? 'not_found' : 'unreachable', detail: told.detail };",
    },
    {
      name: 'takes any 4xx for "not sent"',
      file: 'src/processors/stripe/grading.ts',
      find: "  if (told.kind === 'unclear') return unknown;\n",
      replace:
        "  if (told.kind === 'unclear' && (told.status ?? 500) < 500) return { kind: 'not_sent', detail: told.detail };\n  if (told.kind === 'unclear') return unknown;\n",
    },
    {
      name: 'believes a notification of any age',
      file: 'src/processors/stripe/notifications.ts',
      find: '  if (Math.abs(now / 1_000 - Number(seconds)) > TOLERANCE_SECONDS) return false;\n',
      replace: '',
    },
    { name: "ignores the connection's secrets", brokenIn: STUB },
    { name: 'drops the items of a body that it cannot read', brokenIn: STUB },
    {
      name: 'sends 1000 in every refund',
      file: 'src/processors/stripe/refunding.ts',
      find: "  ['amount', amount],\n  ['metadata[counterfoil_reference]', reference],",
      replace: "  ['amount', 1_000],\n  ['metadata[counterfoil_reference]', reference],",
    },
    {
      name: 'reads a notification of a refusal as a success',
      file: 'src/processors/stripe/notifications.ts',
      find: "return { subject: { reference }, about: { operation: 'refund', outcome }, told };",
      replace:
        "const done = succeeded(refund.id, { amount: refund.amount, currency: refund.currency, detail: '' });\n  return { subject: { reference }, about: { operation: 'refund', outcome: done }, told };",
    },
    {
      name: 'says of every notification that it happened in 1970',
      file: 'src/processors/stripe/notifications.ts',
      find: 'occurredAt: event.created * 1_000',
      replace: 'occurredAt: event.created',
    },
    { name: 'drops all items of a body but the first', brokenIn: STUB },
    {
      name: 'takes "this reference was used" for "not sent"',
      file: 'src/processors/stripe/grading.ts',
      find: "if (error.type !== 'invalid_request_error' && error.type !== 'card_error') return unknown;",
      replace:
        "if (error.type !== 'invalid_request_error' && error.type !== 'card_error') return { kind: 'not_sent', detail };",
    },
    {
      name: 'never sends that a capture is final',
      file: 'src/processors/stripe/following.ts',
      find: "['final_capture', request.final ? undefined : false],",
      replace: "['final_capture', false],",
    },
    {
      name: 'says its API key in the detail of a lost call',
      file: 'src/processors/stripe/api.ts',
      find: "if (answer.kind === 'lost') return { kind: 'unclear', detail: answer.detail };",
      replace:
        "if (answer.kind === 'lost') return { kind: 'unclear', detail: `${answer.detail}, sent with ${secretKey}` };",
    },
    { name: 'makes and confirms an order in one call, and looks it up in a list', brokenIn: STUB },
    {
      name: 'takes a lost call for "not sent"',
      file: 'src/processors/stripe/grading.ts',
      find: "  if (told.kind === 'unclear') return unknown;\n",
      replace: "  if (told.kind === 'unclear') return { kind: 'not_sent', detail: told.detail };\n",
    },
    {
      name: 'takes an unanswered look-up for "not found"',
      file: 'src/processors/stripe/grading.ts',
      find: "return { kind: isWord ? 'unknown' : 'unreachable', detail: told.detail };",
      replace: "return { kind: isWord ? 'unknown' : 'not_found', detail: told.detail };",
    },
    {
      name: 'answers with the amount that was asked for',
      file: 'src/processors/stripe/authorized.ts',
      find: "return told.kind === 'succeeded' && isRaised(intent) && told.amount > asked ? { ...told, amount: asked } : told;",
      replace: "return told.kind === 'succeeded' ? { ...told, amount: asked } : told;",
    },
    {
      name: 'sends by a reference of its own',
      file: 'src/processors/stripe/authorizing.ts',
      find: "  ['metadata[counterfoil_reference]', reference],\n  ['metadata[counterfoil_payment]', paymentId],",
      replace:
        "  ['metadata[counterfoil_reference]', `${reference}x`],\n  ['metadata[counterfoil_payment]', paymentId],",
    },
    {
      name: 'has a deadline of its own',
      file: 'src/processors/stripe/api.ts',
      find: '.call(asked, signal);',
      replace: '.call(asked, AbortSignal.timeout(60_000));',
    },
    {
      name: 'believes what is not signed',
      file: 'src/processors/stripe/notifications.ts',
      find: "return signatures.some((hex) => expected.some((mac) => timingSafeEqual(mac, Buffer.from(hex, 'hex'))));",
      replace: 'return signatures.length > 0 && expected.length > 0;',
    },
    {
      name: 'counts a currency without decimals in hundredths',
      file: 'src/processors/stripe/amounts.ts',
      find: '{ ISK: 100, UGX: 100 }',
      replace: '{ ISK: 100, JPY: 100, UGX: 100 }',
    },
    { name: 'keeps the number of the card', brokenIn: STUB },
    { name: 'knows an authorization by its name alone', brokenIn: STUB },
    {
      name: 'sends an operation to look it up',
      file: 'src/processors/stripe/following.ts',
      find: "  if (request.operation === 'refund') return lookUpRefund(api, request, name, call);\n",
      replace:
        "  if (request.operation === 'refund') return refund(api, request, { name, amount: toStripe(request.amount, request.currencyCode) ?? 0 }, call);\n",
    },
    {
      name: 'takes what was not sent for lost',
      file: 'src/processors/stripe/grading.ts',
      find: "  if (told.kind === 'not_sent') return told;\n",
      replace: "  if (told.kind === 'not_sent') return { kind: 'unknown', detail: told.detail };\n",
    },
    { name: 'refuses a card when nobody answers', brokenIn: STUB },
    {
      name: 'reads no stored notification',
      file: 'src/processors/stripe/notifications.ts',
      find: 'return event === undefined ? undefined : notificationsOf(event);',
      replace: 'return event === undefined ? undefined : [];',
    },
    {
      name: 'gives all notifications one id',
      file: 'src/processors/stripe/notifications.ts',
      find: 'notificationId: event.id,',
      replace: "notificationId: 'evt_1',",
    },
    {
      name: 'takes a body that it cannot read for an empty one',
      file: 'src/processors/stripe/notifications.ts',
      find: "if (event === undefined) return 'unparsable';",
      replace: 'if (event === undefined) return [];',
    },
    {
      name: 'confirms while it prepares',
      file: 'src/processors/stripe/authorizing.ts',
      find: '  // Nobody confirms what is not what was asked for.\n',
      replace: '  if (isOurs) await confirm(api, { ...request, processorTransactionId: value.id }, call);\n',
    },
    {
      name: 'takes an unanswered preparation for a refusal',
      file: 'src/processors/stripe/authorizing.ts',
      find: "  const form = [...creationOf(request, amount), ...customerOf(customer, keeps)];\n  const told = await api.ask({ method: 'POST', path: INTENTS, key: `${reference}p`, form, shape: PaymentIntent }, call);\n",
      replace:
        "  const form = [...creationOf(request, amount), ...customerOf(customer, keeps)];\n  const told = await api.ask({ method: 'POST', path: INTENTS, key: `${reference}p`, form, shape: PaymentIntent }, call);\n  if (told.kind === 'unclear') return { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD' };\n",
    },
    { name: 'cancels by its fence', brokenIn: STUB },
    {
      name: 'prepares again where nothing is on record',
      file: 'src/processors/stripe/authorizing.ts',
      find: "  if (name === undefined) return { kind: 'not_sent', detail: 'no PaymentIntent is on record for it' };\n",
      replace: `  if (name === undefined) {
    const made = await prepare(api, request, call);
    return made.kind === 'prepared'
      ? confirm(api, { ...request, processorTransactionId: made.processorTransactionId }, call)
      : made;
  }
`,
    },
    { name: 'takes a look-up for a fence', brokenIn: STUB },
    {
      name: 'takes an unanswered fence for one that proves',
      file: 'src/processors/stripe/fencing.ts',
      find: "  if (burn.kind === 'unreachable' || burn.kind === 'unknown') return burn;\n",
      replace:
        "  if (burn.kind === 'unreachable') return { kind: 'not_found' };\n  if (burn.kind === 'unknown') return burn;\n",
    },
  ]),
];
