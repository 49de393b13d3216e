// counterfoil sandbox faults: the rules by which the sandbox goes wrong for an account.

import type { Command } from 'commander';
import type { RecordAct } from '../../commands/acts/record-act.ts';
import type { FaultReport } from '../../processors/sandbox/rules/fault-plan.ts';
import type { Sandbox } from '../../processors/sandbox/sandbox-interface.ts';
import { type CommonOptions, declare } from '../command.ts';
import { jsonLine } from '../compact-json.ts';
import { WrongUsage } from '../exit.ts';
import { readJsonFile } from '../json-file.ts';
import { type CommandResult, print } from '../output.ts';
import { none, table } from '../table.ts';
import { ACCOUNT_FLAG, type AccountOption } from '../which-account.ts';
import { bookOf, type FaultsOf, setFaultsOnRecord } from './set-faults.ts';
import { BOOK_FLAG, type BookOption } from './which-book.ts';
import { SANDBOX_SETTINGS, withSandbox } from './with-sandbox.ts';

interface SandboxFaultsOptions extends CommonOptions, AccountOption, BookOption {
  readonly show?: boolean;
  readonly clear?: boolean;
}

/** In words here, because the tables are of the sandbox, which no other command loads. */
const RULES = `
The first rule that matches a call is applied to it.
  match     operation (authorization, capture, cancellation, refund, adjustment,
            look_up, tokenization), and if wanted amount, card, nth (only that
            call), chance (0 to 1, decided by the plan's seed)
  do.phase  before_send (never arrives), before_effect (arrives, no effect),
            after_effect_before_reply and during_reply (it has happened),
            after_reply (only the notification goes wrong)
  do.fault  reset, hang, slow, 429, 500, 502, 503, invalid_json, unknown_status,
            wrong_id, wrong_amount, wrong_currency; of notifications duplicate,
            delay, reorder, drop, bad_signature, unknown_payment
  do        besides: times (how often at most), delayMs, duplicate (how many
            more notifications come), drop (0 to 1), reorder (true)

A file, with an answer to the next capture that breaks off:
  {"rules": [{"match": {"operation": "capture"},
              "do": {"phase": "during_reply", "fault": "reset", "times": 1}}]}`;

const NONE = { seed: 0, rules: [] };

export function sandboxFaults(parent: Command): void {
  declare(parent, {
    usage: 'faults [file]',
    summary: 'Inject faults into calls of an account by the rules in a JSON file',
    examples: ['sandbox faults faults.json', 'sandbox faults --show', 'sandbox faults --clear --connection second'],
    settings: SANDBOX_SETTINGS,
  })
    .option('--show', 'show the rules, which of them are used up, and how often each was applied')
    .option('--clear', 'remove all fault rules (test cards still misbehave)')
    .option(...ACCOUNT_FLAG)
    .option(...BOOK_FLAG)
    .addHelpText('after', RULES)
    .action(faults);
}

async function faults(file: string | undefined, options: SandboxFaultsOptions): Promise<void> {
  const { show = false, clear = false, connection } = options;
  if ([file !== undefined, show, clear].filter(Boolean).length !== 1)
    throw new WrongUsage('Name a file, or use --show or --clear.');
  const plan = file === undefined ? NONE : await readJsonFile(file);
  await withSandbox(options, async (sandbox, opened) => {
    const { recordAct } = opened.service;
    const { whichAccount } = await import('../which-account.ts');
    const { bookOfConnection } = await import('./which-book.ts');
    const of =
      connection === undefined
        ? { accountId: await whichAccount(opened, options) }
        : await bookOfConnection(opened, connection);
    const report = show ? await sandbox.faults(bookOf(of)) : await set({ sandbox, recordAct }, of, plan, file);
    print(await result(report), options);
  });
}

interface SetParts {
  readonly sandbox: Sandbox;
  readonly recordAct: RecordAct;
}

async function set({ sandbox, recordAct }: SetParts, of: FaultsOf, plan: unknown, file = ''): Promise<FaultReport> {
  const answer = await setFaultsOnRecord(sandbox, recordAct)(of, plan);
  if (answer.kind === 'set') return answer.report;
  throw new WrongUsage(
    [`${file} was rejected. The rules are unchanged:`, ...answer.problems.map((one) => `  ${one}`)].join('\n'),
  );
}

async function result(report: FaultReport): Promise<CommandResult> {
  const { isUsedUp, NO_COUNTS } = await import('../../processors/sandbox/rules/fault-choice.ts');
  const { seed, rules = [], counts = [] } = report;
  if (rules.length === 0) return { json: report, text: `${none('rules')} Only the test cards cause faults.` };
  const rows = rules.map(({ match, do: what }, place) => {
    const count = counts[place] ?? NO_COUNTS;
    const state = isUsedUp({ match, do: what }, count) ? 'used up' : 'on';
    return [String(place), state, `${count.applied} of ${count.matched}`, jsonLine(match), jsonLine(what)];
  });
  return { json: report, text: `${table(['rule', 'state', 'applied', 'match', 'do'], rows)}\nseed ${seed}` };
}
