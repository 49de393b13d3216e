// counterfoil connections reconcile: reads the payments of a connection at its processor, and puts on record what
// somebody moved there.
import { type Command, InvalidArgumentError } from 'commander';
import type { StandingRead } from '../../domain/payment/standing.ts';
import type { PaymentKey } from '../../projections/models/payments.ts';
import type { Query } from '../../stores/read-models.ts';
import { parseTime } from '../../world.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { Refused } from '../exit.ts';
import { print } from '../output.ts';
import { list } from '../table.ts';
import { mustFindConnection } from './connections.ts';

interface ReconcileOptions extends CommonOptions {
  /** ms */
  readonly since: number;
}

/** Reads that run at a time; the adapter keeps to the limits of its processor. */
const AT_ONCE = 20;
/** Payments that are named, of those that need attention. */
const MOST_NAMED = 20;

export function connectionsReconcile(parent: Command): void {
  declare(parent, {
    usage: 'reconcile <connection>',
    summary:
      'Read the payments of a connection at its processor, record what was moved there, and exit 1 if one differs',
    examples: ['connections reconcile con_0123 --since 2026-11-01'],
    rules: ['Exits 1 if a payment differs or was not read.'],
    json: '{payments, agree, booked, differ, unread, waiting, notShown}',
    settings: [...STORE_SETTINGS, 'sandboxUrl'],
  })
    .requiredOption('--since <day>', 'payments that were created on this day (UTC) or later', parseDay)
    .action(reconcile);
}

function parseDay(text: string): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? parseTime(`${text}T00:00:00Z`) : undefined;
  if (at === undefined) throw new InvalidArgumentError('Allowed is a day: 2026-11-28.');
  return at;
}

async function reconcile(named: string, { since, ...options }: ReconcileOptions): Promise<void> {
  const { withService } = await import('../open/with-stores.ts');
  const { operatorContext } = await import('../../journal/contexts.ts');
  const { isKnown } = await import('../../domain/payment/queries.ts');
  const { payments } = await import('../../projections/models/payments.ts');
  const { allOf } = await import('../../queries/pages.ts');
  await withService(options, async (opened) => {
    const { service } = opened;
    const { id, doc } = await mustFindConnection(opened, named);
    const { accountId, processor } = doc;
    const context = operatorContext(service.world, accountId);
    const word = { source: 'operator', detail: 'connections reconcile' } as const;
    const found: { readonly id: string; readonly read: StandingRead }[] = [];
    let next: string[] = [];
    const readNext = async (): Promise<void> => {
      const ids = next;
      next = [];
      const reads = ids.map((one) => service.payments.readStanding(one, context, word));
      for (const [at, read] of (await Promise.all(reads)).entries()) found.push({ id: ids[at] ?? '', read });
    };
    const query: Omit<Query<PaymentKey>, 'limit'> = {
      where: { accountId: [accountId], processor: [processor], date: { from: since } },
      order: { by: 'date', descending: false },
    };
    for await (const row of allOf(service.readModels, payments, query)) {
      if (!isKnown(row.doc) || row.doc.connectionId !== id) continue;
      next.push(row.id);
      if (next.length === AT_ONCE) await readNext();
    }
    await readNext();
    const count = (read: StandingRead): number => found.filter((one) => one.read === read).length;
    const counts = {
      payments: found.length,
      agree: count('agrees'),
      booked: count('booked'),
      differ: count('differs'),
      unread: count('unread'),
      waiting: count('waits'),
      notShown: count('not_shown'),
    };
    const attention = found.filter(({ read }) => read === 'differs' || read === 'unread').slice(0, MOST_NAMED);
    const text = list([
      ...Object.entries(counts).map(([name, value]) => [name, String(value)] as const),
      ...attention.map((one) => [one.read, one.id] as const),
    ]);
    print({ json: { id, ...counts, attention }, text }, options);
    if (attention.length > 0)
      throw new Refused('Some payments differ or were not read: `counterfoil payments list --unknown` has them.');
  });
}
