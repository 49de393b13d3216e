// Faults against "Never charged twice".
import { faultsOf } from './fault.ts';

export const NEVER_TWICE = faultsOf('Never charged twice', [
  {
    name: 'a second payment takes a session that a payment holds',
    file: 'src/domain/client-session/decide.ts',
    find: 'if (payment !== undefined) return payment.paymentId === paymentId ? accept() : completed(payment.paymentId);',
    replace: 'if (payment?.paymentId === paymentId) return accept();',
  },
  {
    name: 'a second payment takes a token that a payment holds',
    file: 'src/domain/payment-instrument/decide.ts',
    find: 'if (claim !== undefined) return claim.paymentId === paymentId ? accept() : unusable();',
    replace: 'if (claim?.paymentId === paymentId) return accept();',
  },
  {
    name: 'a later capture may take what was captured already',
    file: 'src/domain/payment/change.ts',
    find: 'if (!(amount >= 1 && amount <= payment.amountCapturable)) {',
    replace: 'if (!(amount >= 1 && amount <= payment.amountAuthorized)) {',
  },
  {
    name: 'a payment that is being made loses its claims to another one',
    file: 'src/commands/payments/claims.ts',
    find: 'if (!mayBeTaken(state, claim, over, context.at)) return undefined;',
    replace: "if (state.status !== 'absent' && !over(state)) return undefined;",
  },
  {
    name: 'a request whose time to be sent has passed is sent',
    file: 'src/commands/payments/attempt.ts',
    find: 'world.monotonic() - startedAt > timings.sendWithinMs || world.now() > attempt.sendBy',
    replace: 'false',
  },
  {
    name: 'a resumed authorization is sent again',
    file: 'src/commands/payments/attempt.ts',
    find: '  if (attempt.resumed !== true)\n    return callProcessor',
    replace: '  if (attempt.operation !== undefined)\n    return callProcessor',
  },
  {
    name: 'a refund at Stripe has another key each time',
    file: 'src/processors/stripe/refunding.ts',
    find: 'key: reference, form, shape: Refund',
    replace: 'key: `${reference}-${Date.now()}-${Math.random()}`, form, shape: Refund',
  },
  {
    name: 'SQLite: an append that lost its place counts as written',
    file: 'src/stores/sqlite/append-handler.ts',
    find: 'return appends.every((one, place) => this.#holds(heads[place], one)) ? REPEATED : CONFLICT;',
    replace: 'return REPEATED;',
  },
  {
    name: 'EventStoreDB: a conflict after a lost answer counts as written',
    file: 'src/stores/eventstoredb/appends.ts',
    find: "const known = mayBeWritten ? await this.#find(stream, after, events) : 'conflict';",
    replace: "const known = mayBeWritten ? 'written' : 'conflict';",
  },
  {
    name: 'the client asks again under another idempotency key',
    file: 'client/src/send.ts',
    find: '    const heard = await attempt(request, sending,',
    replace:
      "    const heard = await attempt({ ...request, headers: { ...request.headers, ...(attempts > 0 && { 'X-Idempotency-Key': outside.newKey() }) } }, sending,",
  },
  {
    name: 'the checkout asks again under another idempotency key',
    file: 'web/checkout-sdk/src/frame/pay/service.ts',
    find: "posted(order, { 'X-Idempotency-Key': idempotencyKey })",
    replace: "posted(order, { 'X-Idempotency-Key': crypto.randomUUID() })",
  },
]);
