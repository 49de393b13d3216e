// Faults against "Never a guessed outcome".
import { faultsOf } from './fault.ts';

export const NEVER_GUESSED = faultsOf('Never a guessed outcome', [
  {
    name: 'a call without an answer counts as not sent',
    file: 'src/commands/payments/processor-call.ts',
    find: "const silent: Unknown = { kind: 'unknown', detail:",
    replace: "const silent = { kind: 'not_sent', detail:",
  },
  {
    name: 'a call whose adapter failed counts as not sent',
    file: 'src/commands/payments/processor-call.ts',
    find: "return { outcome: { kind: 'unknown', detail }, call: sent };",
    replace: "return { outcome: { kind: 'not_sent', detail }, call: sent };",
  },
  {
    name: 'a call that was cut off counts as not sent',
    file: 'src/processors/http-call.ts',
    find: "end({ kind: isSending ? 'lost' : 'not_sent', detail })",
    replace: "end({ kind: 'not_sent', detail })",
  },
  {
    name: '"not found" is believed while the call may be under way',
    file: 'src/commands/payments/findings.ts',
    find: 'const callMs = longestCallMs(needs, call.hasEnded);',
    replace: 'const callMs = 0;',
  },
  {
    name: '"not found" undoes what the processor has reported',
    file: 'src/domain/payment/settle.ts',
    find: "  if (source !== 'operator' && (wasAccepted(attempt) || reported !== undefined))\n    return accept(...askedAgain(attempt, settlement));\n",
    replace: '',
  },
  {
    name: 'a fault of Stripe itself counts as not sent',
    file: 'src/processors/stripe/grading.ts',
    find: '    default:\n      return unknown;\n  }\n}\n\nfunction undoneByRequest',
    replace: "    default:\n      return { kind: 'not_sent', detail };\n  }\n}\n\nfunction undoneByRequest",
  },
  {
    name: 'an outcome that is not known is answered with 200',
    file: 'src/commands/payments/attempt-answers.ts',
    find: 'isUndecided(payment, attemptId) ? 202 : 200',
    replace: '200',
  },
  {
    name: 'a payment says that its outcome is known while an operation is open',
    file: 'src/http/answers/payment.ts',
    find: "status !== 'PENDING' && !attempts.some(isOpen) &&",
    replace: "status !== 'PENDING' &&",
  },
  {
    name: 'payments list --unknown lists none that waits for a look-up',
    file: 'src/queries/unknown-outcomes.ts',
    find: "found(readModels, by('dueAt', wanted), (doc) => hasUnknownOutcome(doc, now), wanted);",
    replace: "found(readModels, by('awaitsOperatorAt', wanted), (doc) => hasUnknownOutcome(doc, now), wanted);",
  },
  {
    name: 'an operator may resolve an attempt whose call is under way',
    file: 'src/commands/payments/resolve-payment.ts',
    find: 'if (!callHasEnded(attempt) && world.now() < callEndsAt)',
    replace: 'if (!callHasEnded(attempt) && world.now() < attempt.requestedAt)',
  },
  {
    name: "an operator's report comes before the processor's",
    file: 'src/commands/payments/resolve-payment.ts',
    find: "const asked = await lookUpAttempts(needs, paymentId, 'all', context);",
    replace: 'const asked = await needs.payments.current(paymentId);',
  },
  {
    name: 'EventStoreDB: a lost append is said not to be written',
    file: 'src/stores/eventstoredb/appends.ts',
    find: 'if (world.monotonic() >= until) throw unavailable(fault, mayBeWritten);',
    replace: 'if (world.monotonic() >= until) throw unavailable(fault, false);',
  },
  {
    name: 'SQLite: a commit that failed is said not to be written',
    file: 'src/stores/sqlite/file/commit-thread.ts',
    find: 'return failed(fault, !isBusy(fault));',
    replace: 'return failed(fault, false);',
  },
  {
    name: 'the client says that nothing happened if the last of its attempts was not sent',
    file: 'client/src/send.ts',
    find: 'mayHaveHappened ||= !(',
    replace: 'mayHaveHappened = !(',
  },
  {
    name: 'the client says that nothing happened if one of several addresses refused',
    file: 'client/src/send.ts',
    find: 'tries.every(isOne)',
    replace: 'tries.some(isOne)',
  },
]);
