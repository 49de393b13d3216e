// Faults against "A period is charged once".
import { faultsOf } from './fault.ts';

export const ONE_PERIOD = faultsOf('A period is charged once', [
  {
    name: 'each call makes a payment of its own',
    file: 'src/commands/payments/charge-agreement.ts',
    find: '`${agreementId}\\n${number}\\n${periodKey}`',
    replace: '`${agreementId}\\n${number}\\n${periodKey}\\n${Math.random()}`',
  },
  {
    name: 'a period that succeeded is tried again',
    file: 'src/domain/agreement/decide.ts',
    find: "if (period.outcome === undefined || period.outcome === 'SUCCEEDED' || period.outcome === 'CANCELLED')",
    replace: "if (period.outcome === undefined || period.outcome === 'CANCELLED')",
  },
  {
    name: 'a period whose payment is unknown is tried again',
    file: 'src/domain/agreement/decide.ts',
    find: "if (period.outcome === undefined || period.outcome === 'SUCCEEDED' || period.outcome === 'CANCELLED')",
    replace: "if (period.outcome === 'SUCCEEDED' || period.outcome === 'CANCELLED')",
  },
  {
    name: 'a period that is no longer listed is charged again',
    file: 'src/commands/payments/charge-agreement.ts',
    find: '  if (earlier !== undefined) return earlier;\n',
    replace: "  if (earlier?.kind === 'rejected') return earlier;\n",
  },
  {
    name: 'a declined period is tried again at once',
    file: 'src/domain/agreement/decide.ts',
    find: 'const NEXT_TRY_MS = DAY_MS;',
    replace: 'const NEXT_TRY_MS = 0 * DAY_MS;',
  },
  {
    name: 'a cancelled agreement is charged',
    file: 'src/domain/agreement/decide.ts',
    find: "    if (agreement.status !== 'ACTIVE') return wrongAgreementStatus(agreement, 'charged');\n",
    replace: "    if (agreement.status === 'PAUSED') return wrongAgreementStatus(agreement, 'charged');\n",
  },
  {
    name: 'a revoked consent leaves the agreement as it was',
    file: 'src/domain/agreement/decide.ts',
    find: "  if (word.kind === 'withdrawn') return [",
    replace: "  if (word.kind === 'never') return [",
  },
  {
    name: 'a claim takes a payment method that nobody has checked',
    file: 'src/domain/agreement/decide.ts',
    find: '      (ready.try !== number || ready.paymentMethodToken !== agreement.method?.paymentMethodToken)\n',
    replace: '      ready.try > number + 1\n',
  },
  {
    name: 'a planned try is forgotten',
    file: 'src/policies/run-all.ts',
    find: '    runPolicy(retryDeclinedCharges(needs), parts, needs, own()),\n',
    replace: '',
  },
  {
    name: 'the end of a payment does not reach its agreement',
    file: 'src/commands/payments/attempt.ts',
    find: '    await settleIfCharge(needs, paymentId, payment, context);\n',
    replace: '',
  },
  {
    name: 'a claim whose payment was never made stays open',
    file: 'src/commands/payments/settle-charge.ts',
    find: '    await transact(needs.payments, one.paymentId, context, abandonPayment(due.accountId), { isFact: true });\n',
    replace: '',
  },
  {
    name: 'a repeated charge takes the terms of now',
    file: 'src/domain/agreement/decide.ts',
    find: '  amount: amount ?? charged?.amount ?? terms.amount,\n',
    replace: '  amount: amount ?? terms.amount,\n',
  },
  {
    name: 'terms that allow more need no consent',
    file: 'src/domain/agreement/change.ts',
    find: '  if (consent === undefined && wider.length > 0)\n',
    replace: '  if (consent !== undefined && wider.length > 0)\n',
  },
  {
    name: 'a change of the period makes all of its time chargeable',
    file: 'src/domain/agreement/change.ts',
    find: '  if (isMoved && terms.frequency !== undefined && terms.startsAt < at)\n',
    replace: '  if (!isMoved && terms.frequency !== undefined && terms.startsAt > at)\n',
  },
  {
    name: 'a withdrawn try is made',
    file: 'src/domain/agreement/decide.ts',
    find: "    if (asked.isPlanned && period?.retryAt === undefined) return reject('Conflict', 'The try is no longer planned.');\n",
    replace: '',
  },
]);
