// The work of counterfoil sandbox act, wait and reset: what a person does at the acquirer itself, the wait until
// nothing is open, so that a test can check the end state, and an empty sandbox.
import { createInterface } from 'node:readline/promises';
import { inCurrency } from '../../domain/money.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { bookOf } from '../../processors/sandbox/any-sandbox.ts';
import { type OpenWork, openWork } from '../../queries/unknown-outcomes.ts';
import { formatTime } from '../../world.ts';
import type { GivenValues, OpenedSandbox } from '../command.ts';
import { Interrupted, Refused } from '../exit.ts';
import { bookOfConnection, mustBeAccount } from '../named.ts';
import { type CommandResult, tell } from '../output.ts';
import { ACTS, type sandboxActs as rows } from '../rows/sandbox.ts';
import { toSecond } from '../table.ts';

/** How the answer says what was done. */
const DONE = { capture: 'captured', cancel: 'cancelled', refund: 'refunded', raise: 'raised' };

export async function act(
  { what, payment: paymentId, amount, silent }: GivenValues<typeof rows.act>,
  { sandbox, service }: OpenedSandbox,
): Promise<CommandResult> {
  const operation = ACTS[what];
  const isSilent = silent === true;
  const { state } = await service.streams.payments.current(paymentId);
  if (!isKnown(state)) throw new Refused(`There is no payment ${paymentId}.`, 'NotFound');
  if (state.processor !== sandbox.name) throw new Refused(`The payment ${paymentId} is not at the sandbox.`);
  const acted = await sandbox.act({
    accountId: bookOf(state.accountId, state.connectionId),
    paymentId,
    operation,
    ...(amount !== undefined && { amount }),
    ...(isSilent && { isSilent }),
  });
  if (acted.kind === 'declined') throw new Refused(`The sandbox refuses it: ${acted.code}.`);
  const { amount: moved, currencyCode } = acted;
  const text =
    operation === 'cancellation'
      ? `The hold of ${paymentId} is cancelled at the sandbox.`
      : `${inCurrency(moved, currencyCode)} of ${paymentId} ${operation === 'adjustment' ? 'are held' : `are ${DONE[what]}`} at the sandbox.`;
  const hint = isSilent ? ' No notification says so: a read of the payment finds it.' : '';
  return { json: { paymentId, act: what, amount: moved, currencyCode, notified: !isSilent }, text: text + hint };
}

/** The open work; `undelivered`: notifications that are not delivered yet. */
interface StillOpen extends OpenWork {
  readonly undelivered: number;
}

const LOOK_EVERY_MS = 200;
/** The most attempts that are named when the time is over. */
const NAMED = 20;

export async function wait({ timeout }: GivenValues<typeof rows.wait>, opened: OpenedSandbox): Promise<CommandResult> {
  const { world } = opened;
  const started = world.monotonic();
  const waitedMs = (): number => Math.round(world.monotonic() - started);
  let open = await openNow(opened, 1);
  while (isAny(open) && waitedMs() < timeout) {
    await world.sleep(Math.min(LOOK_EVERY_MS, Math.max(1, timeout - waitedMs())), new AbortController().signal);
    open = await openNow(opened, 1);
  }
  const last = isAny(open) ? await openNow(opened, NAMED) : open;
  return { ...waited(last, waitedMs()), isRefused: isAny(last) };
}

async function openNow({ sandbox, service }: OpenedSandbox, limit: number): Promise<StillOpen> {
  // Notifications that the sandbox delivers meanwhile have reached the service before the next question.
  const { count } = await sandbox.undelivered();
  return { ...(await openWork(service.readModels, limit)), undelivered: count };
}

const isAny = ({ attempts, notifications, undelivered }: StillOpen): boolean =>
  attempts.length + notifications.length + undelivered > 0;

function waited(open: StillOpen, waitedMs: number): CommandResult {
  const { attempts, notifications, undelivered } = open;
  const isSettled = !isAny(open);
  const views = attempts.map(({ attemptId, operation, state, lookUpAt }) => {
    return { attemptId, operation, state, lookUpAt: lookUpAt === undefined ? null : formatTime(lookUpAt) };
  });
  const json = { settled: isSettled, waitedMs, attempts: views, notifications, undelivered };
  if (isSettled) return { json, text: `Everything is resolved after ${(waitedMs / 1_000).toFixed(1)} s.` };
  const lines = [
    ...views.map(
      ({ attemptId, operation, state, lookUpAt }) =>
        `${attemptId}: ${operation} ${state}, next look-up at ${lookUpAt === null ? 'no time' : toSecond(lookUpAt)}`,
    ),
    ...notifications.map((id) => `notification ${id}: received, not handled yet`),
    ...(undelivered === 0
      ? []
      : [`the sandbox has ${undelivered} notification${undelivered === 1 ? '' : 's'} to deliver`]),
  ];
  const most = attempts.length === NAMED ? ` (the first ${NAMED})` : '';
  return { json, text: `Unresolved after ${(waitedMs / 1_000).toFixed(1)} s${most}:\n${lines.join('\n')}` };
}

export async function reset(
  { account: named, connection, yes }: GivenValues<typeof rows.reset>,
  opened: OpenedSandbox,
): Promise<CommandResult> {
  const { sandbox, service } = opened;
  const further = connection === undefined ? undefined : await bookOfConnection(opened, connection);
  const account = named === undefined ? further?.accountId : await mustBeAccount(service, named);
  const book = further?.book ?? account;
  const whose = further === undefined ? (account ?? 'all accounts') : `the connection ${connection}`;
  tell(
    `The sandbox forgets what it did for ${whose}: its ledger is emptied, waiting notifications are never sent, and fault rules are removed. ` +
      'Cards, keys and payments stay. The empty ledger does not know those payments, and declines their captures and refunds.',
  );
  if (yes !== true) await confirm();
  await service.recordAct(account ?? '', {
    type: 'SandboxResetRequested',
    data: {
      allAccounts: account === undefined,
      ...(further !== undefined && { connectionId: further.connectionId }),
    },
  });
  await sandbox.reset(book);
  return { json: { reset: true, accountId: account ?? null }, text: `The sandbox of ${whose} is empty.` };
}

/** Throws Refused unless the answer at the terminal is yes. */
async function confirm(): Promise<void> {
  if (process.stdin.isTTY !== true) throw new Refused('Nothing was done: confirm with --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new AbortController(); // by Ctrl-C or Ctrl-D, which leave a question without an answer
  terminal.once('SIGINT', () => ended.abort(new Interrupted('SIGINT')));
  terminal.once('close', () => ended.abort(new Refused('Nothing was done.')));
  try {
    const answer = await terminal
      .question('Empty it? [y/N] ', { signal: ended.signal })
      .catch(() => ended.signal.throwIfAborted());
    if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new Refused('Nothing was done.');
  } finally {
    terminal.close();
  }
}
