// The work of counterfoil routing: rules set, shown, and tried on past payments.
import type { ReadRules } from '../../commands/connections/manage-routing.ts';
import { inCurrency } from '../../domain/money.ts';
import type { OfferedMethod } from '../../domain/payment-method.ts';
import { type RecordedRules, type RecordedWhen, SKIPPED } from '../../domain/routing/recorded-rules.ts';
import { type DryRunAnswer, dryRunAnswer } from '../../http/answers/dry-run.ts';
import { accounts } from '../../projections/models/accounts.ts';
import type { TriedRules } from '../../queries/routing.ts';
import { formatTime, newId } from '../../world.ts';
import type { GivenValues } from '../command.ts';
import { effective, existing } from '../effect.ts';
import { Refused } from '../exit.ts';
import { readJsonFile } from '../files.ts';
import { whichAccount } from '../named.ts';
import type { Opened } from '../open/open.ts';
import type { CommandResult } from '../output.ts';
import type { routing as rows } from '../rows/connections.ts';
import { none, paragraph, table, toMinute } from '../table.ts';

export async function set(given: GivenValues<typeof rows.set>, opened: Opened): Promise<CommandResult> {
  const sent = await readJsonFile(given.file);
  const { service } = opened;
  const accountId = await whichAccount(opened, given);
  mustBeRules(given.file, await service.routing.read(accountId, sent));
  const { doc } = await effective(service, accounts, await service.routing.set({ accountId, sent }));
  const version = existing(doc).routing?.version ?? 0;
  return { json: { version }, text: `Version ${version} of the rules is set.` };
}

export async function clear(given: GivenValues<typeof rows.clear>, opened: Opened): Promise<CommandResult> {
  const { service } = opened;
  const accountId = await whichAccount(opened, given);
  const { doc } = await effective(service, accounts, await service.routing.set({ accountId, sent: null }));
  const version = existing(doc).clearedRouting ?? 0;
  const text = version === 0 ? 'The account has no rules.' : `Version ${version} removed the rules.`;
  return { json: { version }, text: `${text} ${WITHOUT_RULES}` };
}

const WITHOUT_RULES = 'A payment goes to the connection at which its token is good.';

export async function show(given: GivenValues<typeof rows.show>, opened: Opened): Promise<CommandResult> {
  const all = await opened.service.queries.routingVersions(await whichAccount(opened, given));
  const versions = all.map(({ version, setAt, by }) => ({ version, setAt: formatTime(setAt), by }));
  const rules = all[0]?.rules ?? null;
  const lines = all.map(({ version, rules: its, setAt, by }) => [
    String(version),
    toMinute(formatTime(setAt)),
    `${by.kind} ${by.id}`,
    its === null ? 'removed the rules' : `${counted(its.rules.length, 'rule')} and the default`,
  ]);
  const shown = rules === null ? `${none('rules')} ${WITHOUT_RULES}` : rulesAsText(rules);
  const text = lines.length === 0 ? shown : `${shown}\n\n${table(['version', 'set', 'by', 'what'], lines)}`;
  return { json: { rules, versions }, text };
}

/** The rules as a table, in their order, and below it what every rule shares. */
export function rulesAsText({ rules, default: rest, fallbackOn, never, mostAttempts }: RecordedRules): string {
  const rows = [
    ...rules.map((rule) => [rule.name, conditionsOf(rule.when), ...targetOf(rule)]),
    ['default', 'every other payment', ...targetOf(rest)],
  ];
  const except = never.length === 0 ? '' : `, never after ${never.join(' or ')}`;
  const words =
    fallbackOn.length === 0
      ? 'Nothing falls back.'
      : `Falls back after ${fallbackOn.join(' or ')}${except}; ${counted(mostAttempts, 'attempt')} at most.`;
  return `${table(['rule', 'conditions', 'use', 'then'], rows)}\n\n${paragraph(words)}`;
}

/** The connections with their weights, and those that are tried after them. */
const targetOf = ({ use, then }: Pick<RecordedRules['default'], 'use' | 'then'>): readonly string[] => [
  use.map(({ connection, weight }) => (use.length === 1 ? connection : `${connection} ${weight}`)).join(', '),
  then.join(', '),
];

function conditionsOf(when: RecordedWhen): string {
  const lists = [
    ['currency', when.currencyCode],
    ['method', when.methodType],
    ['network', when.network],
    ['initiator', when.initiator],
    ...Object.entries(when.metadata ?? {}).map(([key, values]) => [`metadata ${key}`, values] as const),
  ] as const;
  const conditions = [
    ...lists.flatMap(([name, values]) => (values === undefined ? [] : [`${name} ${values.join(' or ')}`])),
    ...amountCondition(when),
  ];
  return conditions.length === 0 ? 'every payment' : conditions.join('; ');
}

/** In the currency of the rule; in minor units where it has several, or none. */
function amountCondition({
  amount: { gte, lt } = {},
  currencyCode: [only, ...others] = [],
}: RecordedWhen): readonly string[] {
  const money = (amount: number): string =>
    only !== undefined && others.length === 0 ? inCurrency(amount, only) : `${amount} minor units`;
  const bounds = [
    ...(gte === undefined ? [] : [`from ${money(gte)}`]),
    ...(lt === undefined ? [] : [`below ${money(lt)}`]),
  ];
  return bounds.length === 0 ? [] : [`amount ${bounds.join(', ')}`];
}

/** Payments that are looked at. */
const MOST = 100_000;

export async function test(given: GivenValues<typeof rows.test>, opened: Opened): Promise<CommandResult> {
  const { file, session, since } = given;
  const { service, world } = opened;
  const accountId = await whichAccount(opened, given);
  const read = file === undefined ? undefined : await rulesIn(file, opened, accountId);
  if (session !== undefined) return trySession(opened, { accountId, session, method: given.method, read });
  if (read === undefined) throw new TypeError('the row lets nothing through without a file or a session');
  const tried = await service.queries.tryRouting(accountId, read, { since: world.now() - since, most: MOST });
  return { json: tried, text: asTable(tried) };
}

async function rulesIn(file: string, { service }: Opened, accountId: string): Promise<GivenRules> {
  return mustBeRules(file, await service.routing.read(accountId, await readJsonFile(file)));
}

interface TriedSession {
  readonly accountId: string;
  readonly session: string;
  readonly method: OfferedMethod | undefined;
  /** Undefined: the rules of the account. */
  readonly read: GivenRules | undefined;
}

/** Rules of a file have the version that they would get. */
async function trySession(
  { service, world }: Opened,
  { accountId, session: sessionId, method: offered = 'PAYMENT_CARD', read }: TriedSession,
): Promise<CommandResult> {
  await service.connections.known.look();
  const [newest] = read === undefined ? [] : await service.queries.routingVersions(accountId);
  const routing = read && { ...read, version: (newest?.version ?? 0) + 1, setAt: world.now() };
  const tried = await service.payments.dryRunSession({ accountId, sessionId, offered, routing });
  if ('kind' in tried) throw new Refused(tried.description);
  const answer = dryRunAnswer(tried, { requestId: newId(world, 'req'), model: 'ClientSession' });
  return { json: answer, text: inWords(answer) };
}

function inWords({ allowed, error, amount, currencyCode, charged, connection, fallbacks }: DryRunAnswer): string {
  const money = amount === undefined || currencyCode === undefined ? [] : [inCurrency(amount, currencyCode)];
  const violations = (error?.validationErrors ?? []).flatMap(({ errors }) =>
    errors.map(({ path, description }) => `  ${path}: ${description}`),
  );
  return [
    ...(error === undefined ? [] : [`It would be refused: ${error.status} ${error.errorId}.`, error.description]),
    ...violations,
    ...(connection === undefined ? [] : [`${connection.name} (${connection.processor}) would be asked.`]),
    ...(connection === undefined ? [] : [connection.because]),
    ...(fallbacks === undefined
      ? []
      : [`After a refusal there: ${fallbacks.map(({ name }) => name).join(', then ')}.`]),
    ...(allowed ? money.map((text) => `${text} would be ${charged === 0 ? 'held' : 'charged'}.`) : []),
    'Nothing was written, and nobody was asked.',
  ].join('\n');
}

type GivenRules = Extract<ReadRules, { readonly kind: 'rules' }>;

/** Throws Refused with a line for each mistake. */
function mustBeRules(file: string, read: ReadRules): GivenRules {
  if (read.kind === 'rules') return read;
  throw new Refused(
    [`${file} was rejected. The rules are unchanged:`, ...read.problems.map((one) => `  ${one}`)].join('\n'),
  );
}

const counted = (count: number, what: 'payment' | 'rule' | 'attempt'): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

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
