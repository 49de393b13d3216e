// counterfoil routing: the rules by which payments are routed over connections: set, shown, and tried on past payments.

import { type Command, Option } from 'commander';
import type { ReadRules } from '../../commands/connections/manage-routing.ts';
import { inCurrency } from '../../domain/in-currency.ts';
import type { TriedRules } from '../../queries/routing.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { parseDuration } from '../duration.ts';
import { Refused } from '../exit.ts';
import { readJsonFile } from '../json-file.ts';
import { print } from '../output.ts';
import { none, table, toMinute } from '../table.ts';
import { ACCOUNT_FLAG, type AccountOption } from '../which-account.ts';

type RoutingOptions = CommonOptions & AccountOption;

export function routingSet(parent: Command): void {
  declare(parent, {
    usage: 'set <file>',
    summary: 'Set the rules of a JSON file, which apply to every payment from now on',
    examples: ['routing set rules.json'],
    settings: STORE_SETTINGS,
  })
    .option(...ACCOUNT_FLAG)
    .action(async (file: string, options: RoutingOptions) => {
      const sent = await readJsonFile(file);
      const { withService } = await import('../open/with-stores.ts');
      const { whichAccount } = await import('../which-account.ts');
      const { untilEffective, unlessRefused } = await import('../effect.ts');
      const { accounts } = await import('../../projections/models/accounts.ts');
      await withService(options, async (opened) => {
        const { service } = opened;
        const accountId = await whichAccount(opened, options);
        mustBeRules(file, await service.routing.read(accountId, sent));
        const set = unlessRefused(await service.routing.set({ accountId, sent }));
        await untilEffective(service, accounts, set);
        const version = set.doc.status === 'absent' ? 0 : (set.doc.routing?.version ?? 0);
        print({ json: { version }, text: `Version ${version} of the rules is set.` }, options);
      });
    });
}

interface ShowOptions extends RoutingOptions {
  readonly version?: string;
}

export function routingShow(parent: Command): void {
  declare(parent, {
    usage: 'show',
    summary: 'The rules as their file, and who set which version when',
    examples: ['routing show', 'routing show --json'],
    settings: STORE_SETTINGS,
  })
    .option(...ACCOUNT_FLAG)
    .action(async (options: ShowOptions) => {
      const { withService } = await import('../open/with-stores.ts');
      const { whichAccount } = await import('../which-account.ts');
      const { formatTime } = await import('../../world.ts');
      await withService(options, async (opened) => {
        const accountId = await whichAccount(opened, options);
        const all = await opened.service.queries.routingVersions(accountId);
        const versions = all.map(({ version, setAt, by }) => ({ version, setAt: formatTime(setAt), by }));
        const rules = all[0]?.rules ?? null;
        const rows = versions.map(({ version, setAt, by }) => [
          String(version),
          toMinute(setAt),
          `${by.kind} ${by.id}`,
        ]);
        const text =
          rules === null
            ? `${none('rules')} A payment goes to where its token is good.`
            : `${JSON.stringify(rules, null, 2)}\n\n${table(['version', 'set', 'by'], rows)}`;
        print({ json: { rules, versions }, text }, options);
      });
    });
}

/** Payments that are looked at. */
const MOST = 100_000;
const WEEK_MS = 7 * 86_400_000;

interface TestOptions extends RoutingOptions {
  /** ms */
  readonly since: number;
}

export function routingTest(parent: Command): void {
  declare(parent, {
    usage: 'test <file>',
    summary: "What the rules of a file would have chosen for the account's own past payments; it calls nobody",
    examples: ['routing test rules.json', 'routing test rules.json --since 30d'],
    settings: STORE_SETTINGS,
  })
    .addOption(new Option('--since <duration>', 'how far back').argParser(parseDuration).default(WEEK_MS, '7d'))
    .option(...ACCOUNT_FLAG)
    .action(async (file: string, options: TestOptions) => {
      const sent = await readJsonFile(file);
      const { withService } = await import('../open/with-stores.ts');
      const { whichAccount } = await import('../which-account.ts');
      await withService(options, async (opened) => {
        const { service, world } = opened;
        const accountId = await whichAccount(opened, options);
        const read = mustBeRules(file, await service.routing.read(accountId, sent));
        const since = world.now() - options.since;
        const tried = await service.queries.tryRouting(accountId, read, { since, most: MOST });
        print({ json: tried, text: asTable(tried) }, options);
      });
    });
}

/** Throws Refused with a line for each mistake. */
function mustBeRules(file: string, read: ReadRules): Extract<ReadRules, { readonly kind: 'rules' }> {
  if (read.kind === 'rules') return read;
  throw new Refused(
    [`${file} was rejected. The rules are unchanged:`, ...read.problems.map((one) => `  ${one}`)].join('\n'),
  );
}

function asTable({ payments, elsewhere, rules, isCut }: TriedRules): string {
  const rows = rules.map(({ rule, payments: count, amounts, connections, elsewhere: moved }) => [
    rule,
    String(count),
    amounts.map(({ currencyCode, amount }) => inCurrency(amount, currencyCode)).join(', '),
    connections.map((one) => `${one.connection} ${one.payments}`).join(', '),
    String(moved),
  ]);
  const cut = isCut ? ` Older ones were not looked at.` : '';
  return `${table(['rule', 'payments', 'amount', 'connections', 'elsewhere'], rows)}\n${payments} payments, ${elsewhere} of them would go elsewhere.${cut}`;
}
