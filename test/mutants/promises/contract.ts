// Faults against the large promises of the contract that README does not name.
import { faultsOf } from './fault.ts';

const IDEMPOTENCY = faultsOf('Contract: idempotency answers', [
  {
    name: 'the sessions of an account share their keys',
    file: 'src/commands/idempotency.ts',
    find: '  sessionId ?? (actor.kind',
    replace: '  (actor.kind',
  },
  {
    name: 'a key is kept for a day',
    file: 'src/domain/idempotency.ts',
    find: 'expiresAt: claim.claimedAt + keptDays * DAY_MS',
    replace: 'expiresAt: claim.claimedAt + Math.min(keptDays, 1) * DAY_MS',
  },
  {
    name: 'a refusal is remembered',
    file: 'src/commands/idempotency.ts',
    find: "if (result === 'abandoned' || (result === 'nothing' && !isResumed))",
    replace: "if (result === 'abandoned')",
  },
  {
    name: 'two headers with different keys are taken',
    file: 'src/http/checks/headers.ts',
    find: '  if (others.some((other) => other !== key)) return DIFFERENT;\n',
    replace: '',
  },
  {
    name: 'a repeated answer is not marked as repeated',
    file: 'src/http/endpoint.ts',
    find: "    if (handled.replayed === true) headers.push('Idempotent-Replayed', 'true');\n",
    replace: '',
  },
]);

const WEBHOOKS = faultsOf('Contract: webhook signatures and order', [
  {
    name: 'the signature leaves the id of the message out',
    file: 'src/commands/webhooks/signature.ts',
    find: 'hmac.update(`${messageId}.${timestamp}.${body}`)',
    replace: 'hmac.update(`${timestamp}.${body}`)',
  },
  {
    name: 'the secret before a rotation signs no longer',
    file: 'src/domain/webhook-endpoint.ts',
    find: 'at < previousExpiresAt ? [rotations, rotations - 1] : [rotations];',
    replace: 'at < previousExpiresAt ? [rotations] : [rotations];',
  },
  {
    name: 'a message shows the payment as it is now',
    file: 'src/commands/webhooks/told-payment.ts',
    find: 'const { state, head } = await payments.at(paymentId, sequence);\n  if (!isKnown(state) || head.revision !== sequence)',
    replace:
      'const { state, head } = await payments.current(paymentId);\n  if (!isKnown(state) || head.revision < sequence)',
  },
  {
    name: 'a retry comes at once',
    file: 'src/domain/webhook-queue/decide.ts',
    find: 'failedAt + Math.round(delay * (1 + JITTER * chance));',
    replace: 'failedAt + Math.round(JITTER * chance);',
  },
  {
    name: 'a redirection counts as taken',
    file: 'src/domain/webhook-queue/decide.ts',
    find: 'status !== undefined && status >= 200 && status < 300;',
    replace: 'status !== undefined && status >= 200 && status < 400;',
  },
]);

const PATCH = faultsOf('Contract: PATCH', [
  {
    name: 'several members leave their siblings',
    file: 'src/domain/client-session/patch.ts',
    find: 'names.length === 1 ? { ...stored } : {};',
    replace: '{ ...stored };',
  },
  {
    name: 'a single member drops its siblings',
    file: 'src/domain/client-session/patch.ts',
    find: 'names.length === 1 ? { ...stored } : {};',
    replace: '{};',
  },
  {
    name: 'null leaves a scalar',
    file: 'src/domain/client-session/patch.ts',
    find: 'if (value === null) delete after[name];\n    else if (value !== undefined)',
    replace: 'if (value !== undefined && value !== null)',
  },
  {
    name: 'no warning names what was overwritten',
    file: 'src/domain/client-session/patch.ts',
    find: '  if (named.length === 1) return [];\n',
    replace: '  if (named.length >= 1) return [];\n',
  },
  {
    name: 'If-Match is ignored',
    file: 'src/domain/client-session/decide.ts',
    find: "if (session.status === 'open' && ifMatch?.(revision) === false) {",
    replace: "if (session.status !== 'open' && ifMatch?.(revision) === false) {",
  },
]);

const PAGES = faultsOf('Contract: pagination', [
  {
    name: 'a cursor is good for any list and any filter',
    file: 'src/http/list.ts',
    find: 'z.literal(binding)',
    replace: 'z.string()',
  },
  {
    name: 'a page that is full is the last one',
    file: 'src/queries/list-payments.ts',
    find: 'limit: limit + 1 }));',
    replace: 'limit }));',
  },
  {
    name: 'the next page leaves out what has the same date',
    file: 'src/stores/sqlite/read-model-sql.ts',
    find: 'bind(`(${column(order.by)}, id) ${past} (?, ?)`, cell(after.key), after.id);',
    replace: 'bind(`${column(order.by)} ${past} ?`, cell(after.key));',
  },
]);

const LIMITS = faultsOf('Contract: rate limits', [
  {
    name: 'a session may tokenize without end',
    file: 'src/commands/limits/card-testing-counts.ts',
    find: 'return consumedPoints > CARD_TESTING_POINTS[limit] ?',
    replace: "return consumedPoints > CARD_TESTING_POINTS[limit] && limit !== 'tokenizations-per-session' ?",
  },
  {
    name: 'a declined attempt does not count',
    file: 'src/commands/limits/card-testing-counts.ts',
    find: '    if (declined !== undefined) counted.push(this.#declinedInSession.counter.penalty(declined.sessionId));\n',
    replace: '',
  },
  {
    name: 'all keys of an account have one limit',
    file: 'src/http/middleware/rate-limit.ts',
    find: "limiter.consume('keyId' in holder ? holder.keyId : holder.sessionId)",
    replace: 'limiter.consume(holder.accountId)',
  },
  {
    name: 'a refused request is not told when to try again',
    file: 'src/http/middleware/rate-limit.ts',
    find: '`More than ${perSecond} requests a second.`, { retryAfterSeconds });',
    replace: '`More than ${perSecond} requests a second.`);',
  },
  {
    name: 'workers lease more than the limit',
    file: 'src/commands/limits/permits.ts',
    find: 'Math.max(0, Math.min(wanted, this.#rule.leased - leased));',
    replace: 'Math.max(0, Math.min(wanted, this.#rule.leased));',
  },
]);

const SCOPES = faultsOf('Contract: scopes', [
  {
    name: 'a key that may not capture makes a payment that captures automatically',
    file: 'src/commands/payments/authorize-payment.ts',
    find: '  if (mayCapture(caller)) return undefined;\n',
    replace: '  if (caller.accountId !== undefined) return undefined;\n',
  },
  {
    name: 'a key that may not capture gets a token for a session that captures automatically',
    file: 'src/domain/client-session/decide.ts',
    find: '    if (capturesByItself(fields.paymentMethod) && !mayCapture) return captureScopeMissing();\n',
    replace: '',
  },
  {
    name: "another account's payment is changed",
    file: 'src/commands/payments/change-payment.ts',
    find: 'if (!isKnown(state) || state.accountId !== caller.accountId)',
    replace: 'if (!isKnown(state))',
  },
  {
    name: 'a client token of one account opens the session of another',
    file: 'src/commands/sessions/client-tokens.ts',
    find: 'return claims === undefined || claims.accountId !== accountId ? badToken() : claims;',
    replace: 'return claims === undefined ? badToken() : claims;',
  },
]);

const DISPUTES = faultsOf('Contract: disputes', [
  {
    name: 'what is disputed can be refunded',
    file: 'src/domain/payment/totals.ts',
    find: 'total.captured - total.refunded - total.refunding - draft.amountDisputed);',
    replace: 'total.captured - total.refunded - total.refunding);',
  },
  {
    name: 'a dispute that is over takes a response',
    file: 'src/domain/payment/dispute-answer.ts',
    find: "  if (status !== 'OPEN')\n    return reject(",
    replace: "  if (status === 'WON')\n    return reject(",
  },
  {
    name: 'an older report undoes a newer decision',
    file: 'src/domain/payment/dispute-word.ts',
    find: 'return at !== undefined && at > endedAt;',
    replace: 'return at !== undefined;',
  },
  {
    name: 'a lost dispute blocks no refund',
    file: 'src/domain/payment/dispute-fold.ts',
    find: 'const lost = isLost(status) ? amount :',
    replace: 'const lost = isLost(status) ? 0 :',
  },
]);

const LINKS = faultsOf('Contract: payment links', [
  {
    name: 'any secret opens a link',
    file: 'src/commands/sessions/payment-link.ts',
    find: '  if (!isSameBytes(Buffer.from(secretOf(needs, id)), Buffer.from(secret))) return noLink();\n',
    replace: '',
  },
  {
    name: 'a link that a payment holds can be cancelled',
    file: 'src/domain/client-session/decide.ts',
    find: '    if (session.payment !== undefined) return completed(session.payment.paymentId);\n    return isExpired(session, at) ? accept() : accept({',
    replace: '    return isExpired(session, at) ? accept() : accept({',
  },
  {
    name: 'a payment that has only begun makes a link PAID',
    file: 'src/commands/sessions/payment-link.ts',
    find: "isKnown(payment) && payment.status !== 'PENDING' ? 'PAID' : 'PROCESSING';",
    replace: "isKnown(payment) ? 'PAID' : 'PROCESSING';",
  },
  {
    name: 'a link may last for years',
    file: 'src/commands/sessions/payment-link.ts',
    find: 'if (expiresAt >= at + LEAST_LIFE_MS && expiresAt <= at + MOST_LIFE_DAYS * DAY_MS) return undefined;',
    replace: 'if (expiresAt >= at + LEAST_LIFE_MS) return undefined;',
  },
]);

const MANAGEMENT = faultsOf('Contract: management keys', [
  {
    name: 'a management key grants scopes that it may not grant',
    file: 'src/domain/api-key.ts',
    find: 'granting === undefined ? [] : scopes.filter((scope) => !granting.includes(scope));',
    replace: 'granting === undefined || granting.length > 0 ? [] : scopes;',
  },
  {
    name: 'a management key changes other management keys',
    file: 'src/commands/access/manage-api-keys.ts',
    find: 'state.accountId === by.accountId && state.purpose === purpose',
    replace: 'state.accountId === by.accountId && purpose !== undefined',
  },
  {
    name: 'a management key changes an owner',
    file: 'src/commands/users/manage-users.ts',
    find: 'const decide = unlessOwner(await grantingOf(needs, callerOf(by)), decideDisabling(accountId));',
    replace: 'const decide = decideDisabling(accountId);',
  },
  {
    name: 'a management key opens the routes of payments',
    file: 'src/commands/access/authenticate.ts',
    find: "key.purpose === 'management' ? MANAGEMENT_ALONE : this.#scopesOf(key.scopes);",
    replace:
      "key.purpose === 'management' ? new Set([...MANAGEMENT_ALONE, ...(key.grants ?? [])]) : this.#scopesOf(key.scopes);",
  },
]);

const DRY_RUNS = faultsOf('Contract: dry runs', [
  {
    name: 'a dry run takes the try of an open circuit',
    file: 'src/commands/payments/dry-run.ts',
    find: '  enter: (of) => circuits.refusal(of),\n',
    replace: '  enter: (of) => circuits.admit(of),\n',
  },
  {
    name: 'a dry run of a change does not ask the circuit',
    file: 'src/commands/payments/dry-run.ts',
    find: '  if (unavailable !== undefined) return { ...about, refused: unavailable };\n',
    replace: '',
  },
  {
    name: 'a dry run takes a session from a payment that is about to come',
    file: 'src/commands/payments/claims.ts',
    find: "return state.status === 'absent' ? at >= abandonAfter : over(state);",
    replace: "return state.status === 'absent' ? at > 0 || abandonAfter > 0 : over(state);",
  },
  {
    name: 'a dry run does not say that attempts would be looked up',
    file: 'src/commands/payments/dry-run.ts',
    find: 'mayAsk && attemptsToAskAbout(state).length > 0 ? true : undefined;',
    replace: 'mayAsk && attemptsToAskAbout(state).length > 99 ? true : undefined;',
  },
  {
    name: 'a dry run ignores what the processor supports',
    file: 'src/commands/payments/dry-run.ts',
    find: 'ifSupported(needs.processors, decide(changing(needs, effect)))(state, head.revision);',
    replace: 'decide(changing(needs, effect))(state, head.revision);',
  },
  {
    name: 'dryRun=true is done in earnest',
    file: 'src/http/routes/dry-run.ts',
    find: "(sent) => (sent === 'true' ? true : sent === 'false' ? false : sent)",
    replace: "(sent) => (sent === 'true' || sent === 'false' ? false : sent)",
  },
]);

export const CONTRACT = [
  ...IDEMPOTENCY,
  ...WEBHOOKS,
  ...PATCH,
  ...PAGES,
  ...LIMITS,
  ...SCOPES,
  ...DISPUTES,
  ...LINKS,
  ...MANAGEMENT,
  ...DRY_RUNS,
];
