// counterfoil routing: the rules by which payments are routed over connections: set, shown, and tried on past payments.

import { type Command, Option } from 'commander';
import type { ReadRules } from '../../commands/connections/manage-routing.ts';
import type { Account } from '../../domain/account/state.ts';
import { inCurrency } from '../../domain/in-currency.ts';
import { SKIPPED } from '../../domain/routing/recorded-rules.ts';
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
    rules: ['Exits 1 with a line for each mistake and its place.'],
    settings: STORE_SETTINGS,
  })
    .option(...ACCOUNT_FLAG)
    .action(async (file: string, options: RoutingOptions) => {
      const set = await setRules(options, await readJsonFile(file), file);
      const version = set.status === 'absent' ? 0 : (set.routing?.version ?? 0);
      print({ json: { version }, text: `Version ${version} of the rules is set.` }, options);
    });
}

export function routingClear(parent: Command): void {
  declare(parent, {
    usage: 'clear',
    summary: 'Remove the rules: from now on a payment goes to the connection at which its token is good',
    examples: ['routing clear'],
    rules: ['Takes effect from the next payment on.'],
    json: '{version}, 0 if there were never any rules',
    settings: STORE_SETTINGS,
  })
    .option(...ACCOUNT_FLAG)
    .action(async (options: RoutingOptions) => {
      const cleared = await setRules(options, null);
      const version = cleared.status === 'absent' ? 0 : (cleared.clearedRouting ?? 0);
      const text = version === 0 ? 'The account has no rules.' : `Version ${version} removed the rules.`;
      print({ json: { version }, text: `${text} ${WITHOUT_RULES}` }, options);
    });
}

/** The account once its rules, from `file`, are in effect; null removes them. Throws Refused. */
async function setRules(options: RoutingOptions, sent: unknown, file?: string): Promise<Account> {
  const { withService } = await import('../open/with-stores.ts');
  const { whichAccount } = await import('../which-account.ts');
  const { untilEffective, unlessRefused } = await import('../effect.ts');
  const { accounts } = await import('../../projections/models/accounts.ts');
  return withService(options, async (opened) => {
    const { service } = opened;
    const accountId = await whichAccount(opened, options);
    if (file !== undefined) mustBeRules(file, await service.routing.read(accountId, sent));
    const set = unlessRefused(await service.routing.set({ accountId, sent }));
    await untilEffective(service, accounts, set);
    return set.doc;
  });
}

const WITHOUT_RULES = 'A payment goes to the connection at which its token is good.';

export function routingShow(parent: Command): void {
  declare(parent, {
    usage: 'show',
    summary: 'The rules as their file, and who set which version when',
    examples: ['routing show', 'routing show --json'],
    json: '{rules, versions}; rules is null without any',
    settings: STORE_SETTINGS,
  })
    .option(...ACCOUNT_FLAG)
    .action(async (options: RoutingOptions) => {
      const { withService } = await import('../open/with-stores.ts');
      const { whichAccount } = await import('../which-account.ts');
      const { formatTime } = await import('../../world.ts');
      await withService(options, async (opened) => {
        const accountId = await whichAccount(opened, options);
        const all = await opened.service.queries.routingVersions(accountId);
        const versions = all.map(({ version, setAt, by }) => ({ version, setAt: formatTime(setAt), by }));
        const rules = all[0]?.rules ?? null;
        const rows = all.map(({ version, rules: set, setAt, by }) => [
          String(version),
          toMinute(formatTime(setAt)),
          `${by.kind} ${by.id}`,
          set === null ? 'removed the rules' : `${counted(set.rules.length, 'rule')} and the default`,
        ]);
        const shown = rules === null ? `${none('rules')} ${WITHOUT_RULES}` : JSON.stringify(rules, null, 2);
        const text = rows.length === 0 ? shown : `${shown}\n\n${table(['version', 'set', 'by', 'what'], rows)}`;
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
    rules: ['Calls nobody, and reads up to 100,000 payments of the account.'],
    json: '{payments, elsewhere, rules, isCut}',
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

const counted = (count: number, what: 'payment' | 'rule'): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function asTable({ payments, elsewhere, rules, isCut }: TriedRules): string {
  const refused = rules.reduce((sum, one) => sum + one.refused, 0);
  const rows = rules.map(({ rule, payments: count, amounts, connections, elsewhere: moved, refused: untaken }) => [
    rule,
    String(count),
    amounts.map(({ currencyCode, amount }) => inCurrency(amount, currencyCode)).join(', '),
    connections.map((one) => `${one.connection} ${one.payments}`).join(', '),
    String(moved),
    ...(refused === 0 ? [] : [String(untaken)]),
  ]);
  const skipped = rules.flatMap(({ rule, skipped: passed }) =>
    passed.map(
      ({ connection, because, payments: count }) =>
        `${rule}: ${connection} is skipped for ${counted(count, 'payment')}, because it ${SKIPPED[because]}.`,
    ),
  );
  const words = [
    `${counted(payments, 'payment')}, ${elsewhere} of them would go elsewhere.`,
    ...(refused === 0 ? [] : [`${refused} of them would be refused: no connection of their rule can take them.`]),
    ...(isCut ? ['Older ones were not looked at.'] : []),
  ].join(' ');
  const head = ['rule', 'payments', 'amount', 'connections', 'elsewhere', ...(refused === 0 ? [] : ['refused'])];
  return [table(head, rows), ...skipped, words].join('\n');
}
