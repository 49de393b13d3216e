// counterfoil sandbox act: what a person does to a payment at the acquirer itself, so that the service has to find out.
import type { Command } from 'commander';
import { inCurrency } from '../../domain/in-currency.ts';
import type { SandboxAct } from '../../processors/sandbox/sandbox-interface.ts';
import { type CommonOptions, declare } from '../command.ts';
import { Refused, WrongUsage } from '../exit.ts';
import { print } from '../output.ts';
import { SANDBOX_SETTINGS, withSandbox } from './with-sandbox.ts';

interface ActOptions extends CommonOptions {
  readonly amount?: number;
  readonly silent?: boolean;
}

/** The acts by their names; `done`: how the answer says it. */
const ACTS = {
  capture: { operation: 'capture', done: 'captured' },
  cancel: { operation: 'cancellation', done: 'cancelled' },
  refund: { operation: 'refund', done: 'refunded' },
  raise: { operation: 'adjustment', done: 'raised' },
} as const satisfies {
  readonly [name: string]: { readonly operation: SandboxAct['operation']; readonly done: string };
};
type ActName = keyof typeof ACTS;
const NAMES = Object.keys(ACTS);

export function sandboxAct(parent: Command): void {
  declare(parent, {
    usage: 'act <what> <payment>',
    summary: 'Do to a payment what a person does at the acquirer itself (capture, cancel, refund, raise)',
    examples: [
      'sandbox act capture pay_0123 --amount 500',
      'sandbox act refund pay_0123 --silent',
      'sandbox act raise pay_0123 --amount 1500',
    ],
    rules: [
      'Does what a person does at the acquirer itself, in no call of the service; exits 1 if the acquirer’s rules forbid it.',
    ],
    settings: SANDBOX_SETTINGS,
  })
    .option('--amount <minor units>', 'of a raise the new total; without it all that is possible', parseAmount)
    .option('--silent', 'without a notification: a read of the payment finds it')
    .action(act);
}

const isAct = (name: string): name is ActName => Object.hasOwn(ACTS, name);

function parseAmount(text: string): number {
  const amount = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(amount) || amount < 1)
    throw new WrongUsage('--amount is a whole number of minor units, such as 1050 for 10.50 EUR.');
  return amount;
}

async function act(what: string, paymentId: string, options: ActOptions): Promise<void> {
  if (!isAct(what)) throw new WrongUsage(`Allowed is ${NAMES.join(', ')}.`);
  const { operation, done } = ACTS[what];
  const { amount, silent: isSilent = false } = options;
  if (what === 'raise' && amount === undefined) throw new WrongUsage('A raise needs its new total: --amount.');
  if (what === 'cancel' && amount !== undefined) throw new WrongUsage('A cancellation has no amount.');
  const { isKnown } = await import('../../domain/payment/queries.ts');
  const { bookOf } = await import('../../processors/sandbox/any-sandbox.ts');
  await withSandbox(options, async (sandbox, { service }) => {
    const { state } = await service.streams.payments.current(paymentId);
    if (!isKnown(state)) throw new Refused(`There is no payment ${paymentId}.`);
    if (state.processor !== sandbox.name) throw new Refused(`The payment ${paymentId} is not at the sandbox.`);
    const { accountId, connectionId } = state;
    const acted = await sandbox.act({
      accountId: bookOf(accountId, connectionId),
      paymentId,
      operation,
      ...(amount !== undefined && { amount }),
      ...(isSilent && { isSilent }),
    });
    if (acted.kind === 'declined') throw new Refused(`The sandbox refuses it: ${acted.code}.`);
    const text =
      operation === 'cancellation'
        ? `The hold of ${paymentId} is cancelled at the sandbox.`
        : `${inCurrency(acted.amount, acted.currencyCode)} of ${paymentId} ${operation === 'adjustment' ? 'are held' : `are ${done}`} at the sandbox.`;
    const hint = isSilent ? ' No notification says so: a read of the payment finds it.' : '';
    const { amount: moved, currencyCode } = acted;
    print(
      { json: { paymentId, act: what, amount: moved, currencyCode, notified: !isSilent }, text: text + hint },
      options,
    );
  });
}
