// The services that the simulator breaks on purpose (test/simulation/*variants.ts), each as a change of the sources.
import { faultsOf } from './fault.ts';

const MEET_READ = 'const read = await readIntent(api, name, call);';

export const VARIANT_FAULTS = faultsOf('Variant of the simulator', [
  {
    name: 'retry on unknown',
    file: 'src/commands/payments/attempt.ts',
    find: '(call) => processor.perform(request, call), {',
    replace:
      "(call) => processor.perform(request, call).then((outcome) => (outcome.kind === 'unknown' ? processor.perform({ ...request, reference: `${request.reference}r` }, call) : outcome)), {",
  },
  {
    name: 'settle on first not-found',
    file: 'src/commands/payments/findings.ts',
    find: 'if (asked.at - callEndsAt(needs, call) < consistencyWindowMs) return Number.POSITIVE_INFINITY;',
    replace: 'if (asked.at > consistencyWindowMs) return 0;',
  },
  {
    name: 'derived event ids',
    file: 'src/journal/envelope.ts',
    find: '    const id = newUuid(world);\n',
    replace:
      "    const hex = hash('sha256', `${of.name} ${head.hash} ${head.revision + 1 + sealed.length} ${context.operationId}`, 'hex');\n    const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;\n",
  },
  {
    name: 'drop the revision guard',
    file: 'src/stores/sqlite/append-handler.ts',
    find: '(heads[place]?.revision ?? -1) === after)',
    replace: '(heads[place]?.revision ?? -1) >= after)',
  },
  // Claims that a crash leaves out need two appends in another order, in four modules.
  { name: 'claim after the call', brokenIn: 'test/simulation/variants.ts' },
  {
    name: 'an append to several streams leaves the claims out',
    file: 'src/journal/streams.ts',
    find: 'appendAll?.(prepared.map(({ append }) => append))',
    replace: 'appendAll?.(prepared.slice(-1).map(({ append }) => append))',
  },
  {
    name: 'the resolver calls instead of looking up',
    file: 'src/commands/payments/findings.ts',
    find: 'asked === FENCE ? (processor.fence ?? processor.lookUp) : processor.lookUp;',
    replace: 'asked === FENCE ? (processor.fence ?? processor.lookUp) : processor.perform;',
  },
  {
    name: 'forget operation ids',
    file: 'src/commands/idempotency.ts',
    find: '      context: contextOf(caller, held.operationId),\n      resourceId: held.resourceId,\n      how: { onceAfter: held.targetRevision },\n    };\n    const revision =\n      held.operationId === operationId',
    replace:
      "      context: contextOf(caller, operationId),\n      resourceId: held.resourceId,\n      how: { onceAfter: held.targetRevision },\n    };\n    const revision =\n      held.operationId !== ''",
  },
  {
    name: 'refund ignores what is refundable',
    file: 'src/domain/payment/refund.ts',
    find: '    const { amountRefundable } = payment;\n',
    replace: '    const amountRefundable = payment.amountCaptured;\n',
  },
  {
    name: 'refund ignores disputes',
    file: 'src/domain/payment/refund.ts',
    find: '    const { amountRefundable } = payment;\n    if (isStoppedByDispute(payment, amount ?? 1))',
    replace:
      '    const amountRefundable = Math.max(0, payment.amountCaptured - payment.amountRefunded - payment.amountRefundPending);\n    if (isStoppedByDispute(payment, Number.POSITIVE_INFINITY))',
  },
  {
    name: 'a cancellation looks up before its wish',
    file: 'src/commands/payments/change-payment.ts',
    find: 'ifUnchanged(atVersion, cancelling(request)), cancel);',
    replace: 'ifUnchanged(atVersion, cancelling(request)));',
  },
  {
    name: 'a notification forgets the wish to cancel',
    file: 'src/domain/payment/settle.ts',
    find: "if (payment.cancellation !== undefined) return accept(...done, follow('intended_cancellation'));",
    replace:
      "if (payment.cancellation !== undefined && settlement.source !== 'notification') return accept(...done, follow('intended_cancellation'));",
  },
  {
    name: 'a notification is not a cause',
    file: 'src/commands/notifications/handle-notification.ts',
    find: '  const context = processorContext(needs.world, processor, accountId, cause);\n',
    replace:
      '  const { causationId: _forgotten, ...context } = processorContext(needs.world, processor, accountId, cause);\n',
  },
  {
    name: 'events are recorded at the time of the request',
    file: 'src/journal/envelope.ts',
    find: 'const recordedAt = Math.max(world.now(), head.recordedAt);',
    replace: 'const recordedAt = Math.max(context.at, head.recordedAt);',
  },
  {
    name: 'the fan-out skips a payment',
    file: 'src/policies/queue-webhooks.ts',
    find: '    queueings.map((queueing) =>\n',
    replace: '    queueings.filter((_, place) => place % 16 !== 15).map((queueing) =>\n',
  },
  {
    name: 'keep the place of the fan-out before its append',
    file: 'src/policies/queue-webhooks.ts',
    find: '        if (!(fault instanceof BrokenStream)) throw fault;\n',
    replace: '',
  },
  {
    name: 'a wrong previousSequence',
    file: 'src/domain/webhook-queue/decide.ts',
    find: '{ previousSequence: previous }',
    replace: '{ previousSequence: message.sequence - 1 }',
  },
  {
    name: 'a delivery without an answer counts as made',
    file: 'src/commands/webhooks/deliver-messages.ts',
    find: "'fault' in posted ? { fault: posted.fault } :",
    replace: "'fault' in posted ? { status: 200, body: '' } :",
  },
  {
    name: 'a confirm is delivered after the fence',
    file: 'src/processors/stripe/fencing.ts',
    find: '  const burn = await burnt(api, name, request.reference, call);\n',
    replace: `  if (request.operation === 'authorization') {
    ${MEET_READ}
    if (read.kind === 'told' && authorizationOf(read.value, request, read.detail).kind === 'unconfirmed')
      return { kind: 'not_found' };
  }
  const burn = await burnt(api, name, request.reference, call);
`,
  },
  {
    name: 'a decline confirmed again',
    file: 'src/processors/stripe/authorized.ts',
    find: "return intent.status === 'canceled' ? told : { ...told, fence: 'owed' };",
    replace: 'return told;',
  },
  {
    name: 'prepare ignored',
    file: 'src/processors/stripe/authorizing.ts',
    find: "  const { reference, processorTransactionId: name } = request;\n  if (name === undefined) return { kind: 'not_sent', detail: 'no PaymentIntent is on record for it' };\n",
    replace: `  const { reference } = request;
  const own = await prepare(api, { ...request, reference: \`\${reference}q\` }, call);
  const name = own.kind === 'prepared' ? own.processorTransactionId : request.processorTransactionId;
  if (name === undefined) return { kind: 'not_sent', detail: 'no PaymentIntent is on record for it' };
`,
  },
  {
    name: 'a look-up by listing',
    file: 'src/processors/stripe/authorizing.ts',
    find: "  const told = await readIntent(api, name, call);\n  if (told.kind !== 'told') return unreadBy(told);\n",
    replace: `  const { z } = await import('zod');
  const shape = z.looseObject({ data: z.array(PaymentIntent) });
  const listed = await api.ask({ method: 'GET', path: INTENTS, form: [['limit', 10]], shape }, call);
  if (listed.kind === 'told' && !listed.value.data.some(({ id }) => id === name)) return { kind: 'not_found' };
  const told = await readIntent(api, name, call);
  if (told.kind !== 'told') return unreadBy(told);
`,
  },
  {
    name: 'a fallback after an unknown outcome',
    file: 'src/commands/payments/attempt.ts',
    find: '(call) => processor.perform(request, call), {',
    replace:
      "(call) => processor.perform(request, call).then((outcome) => (outcome.kind === 'unknown' && request.operation === 'authorization' ? { kind: 'not_sent', detail: outcome.detail } : outcome)), {",
  },
  {
    name: 'a fallback after a final decline',
    file: 'src/domain/payment/fallback.ts',
    find: "    declineType === 'SOFT' &&\n    fence === undefined &&",
    replace: '    fence === undefined &&',
  },
  {
    name: 'both connections are charged',
    file: 'src/commands/payments/attempt.ts',
    find: '(call) => processor.perform(request, call), {',
    replace: `(call) => {
      const other = payment.route?.fallback?.connections.find(({ connectionId }) => connectionId !== attempt.connectionId);
      if (request.operation === 'authorization' && other !== undefined) {
        const twin = { ...request, reference: \`\${request.reference}b\`, processorToken: other.processorToken };
        void processor.perform(twin, { ...call, connection: { ...other, secrets: {} } }).catch(() => undefined);
      }
      return processor.perform(request, call);
    }, {`,
  },
  { name: 'a period is known by its idempotency key alone', brokenIn: 'test/simulation/billing-variants.ts' },
  { name: 'a charge is claimed on the state that was read before', brokenIn: 'test/simulation/billing-variants.ts' },
  {
    name: 'each connection counts the tries of a card for itself',
    file: 'src/commands/payments/retry-ledger.ts',
    find: '`${accountId}\\n${card}`',
    replace: '`${accountId}\\n${card}\\n${Math.random()}`',
  },
  {
    name: 'a declined period is tried again at once',
    file: 'src/domain/agreement/decide.ts',
    find: '    if (period !== undefined && notBefore !== undefined && notBefore > at) return tooEarly(period, notBefore);\n',
    replace: '',
  },
  {
    name: 'a claim takes more than was agreed',
    file: 'src/domain/agreement/terms.ts',
    find: "terms.amountRule === 'MAXIMUM' && amount > terms.amount)",
    replace: "terms.amountRule === 'MAXIMUM' && amount > 10 * terms.amount)",
  },
  {
    name: 'a charge does not name the first payment',
    file: 'src/commands/payments/charge-agreement.ts',
    find: 'try: number, kind, ...networkNames(method) },',
    replace: 'try: number, kind },',
  },
  {
    name: 'a withdrawn consent is recorded apart',
    file: 'src/domain/agreement/decide.ts',
    find: "  if (word.kind === 'withdrawn') return [{ type: 'AgreementRevoked', data: { source: 'issuer', code } }];\n",
    replace: "  if (word.kind === 'withdrawn') return [];\n",
  },
]);
