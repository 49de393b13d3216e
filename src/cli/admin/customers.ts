// The work of counterfoil customers: destroys the keys of a customer's personal data, and says what is left where.
import type { Erased, ErasureAnswer, InTheWay } from '../../commands/customers/erase-customer.ts';
import { formatTime, newId } from '../../world.ts';
import type { GivenValues } from '../command.ts';
import { interruptible, Refused } from '../exit.ts';
import { whichAccount } from '../named.ts';
import type { Opened } from '../open/open.ts';
import { type CommandResult, tell } from '../output.ts';
import type { customers as rows } from '../rows/payments.ts';

/** Between two looks at payments that are in the way. */
const LOOK_AGAIN_MS = 5_000;
/** Payments in the way that are printed. */
const SHOWN = 20;

export async function erase(given: GivenValues<typeof rows.erase>, opened: Opened): Promise<CommandResult> {
  const accountId = await whichAccount(opened, given);
  return interruptible('Stopping. The customer is not erased yet: run the same command again to finish.', (signal) =>
    eraseOf(opened, accountId, given, signal),
  );
}

async function eraseOf(
  opened: Opened,
  accountId: string,
  { id, whenOver }: GivenValues<typeof rows.erase>,
  signal: AbortSignal,
): Promise<CommandResult> {
  const { service, world } = opened;
  const over = new AbortController();
  // documents over many streams are cleared by a follower, and no service may be running
  const following = service.projections.run(AbortSignal.any([over.signal, signal])).catch(opened.report);
  try {
    for (;;) {
      const answer = await service.customers.eraseCustomer(id, operator(opened, accountId), signal);
      if (answer.kind === 'erased') return { json: asJson(answer), text: inWords(answer) };
      if (whenOver !== true || answer.inTheWay === undefined) throw new Refused(refusal(answer), answer.errorId);
      tell(`Waiting: ${answer.inTheWay.map(wordsOf).join(', ')}.`);
      await world.sleep(LOOK_AGAIN_MS, signal);
    }
  } finally {
    over.abort();
    await following;
  }
}

const operator = ({ world }: Opened, accountId: string) => ({
  accountId,
  actor: { kind: 'operator', id: 'cli' } as const,
  at: world.now(),
  requestId: newId(world, 'op'),
  scopes: new Set<string>(),
  address: '',
});

const WORDS = {
  open: 'is open',
  disputed: 'is disputed',
  unresolved: 'waits for an operator',
  reported: 'has a notification that is parked or not handled yet',
};
const wordsOf = ({ paymentId, because }: InTheWay): string => `payment ${paymentId} ${WORDS[because]}`;

function refusal(answer: Exclude<ErasureAnswer, Erased>): string {
  const found = answer.inTheWay ?? [];
  if (found.length === 0) return answer.description;
  const shown = found.slice(0, SHOWN).map((one) => `  ${wordsOf(one)}`);
  const more = found.length > SHOWN ? [`  and ${found.length - SHOWN} more`] : [];
  return ['The customer cannot be erased yet:', ...shown, ...more].join('\n');
}

const asJson = ({ traces, erasedAt, kind: _kind, ...erased }: Erased): object => ({
  ...erased,
  erasedAt: formatTime(erasedAt),
  filesCleaned: traces.filesCleaned ?? null,
});

const numberOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function inWords({ customerId, payments, sessions, instrumentsDeleted, keysDestroyed, traces }: Erased): string {
  const files =
    traces.filesCleaned === undefined
      ? 'The database of the read models may keep earlier documents in its files until it reuses their space.'
      : `Rewritten: ${numberOf(traces.filesCleaned, 'file')} of read models.`;
  return [
    `${customerId} is erased, in ${numberOf(payments, 'payment')} and ${numberOf(sessions, 'client session')}.`,
    `Deleted: ${numberOf(instrumentsDeleted, 'saved payment method')}. Destroyed: ${numberOf(keysDestroyed, 'key')}. No document shows the customer.`,
    files,
    'Backups, the processor and your own systems may still hold the data.',
  ].join('\n');
}
