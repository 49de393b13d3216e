// counterfoil sandbox faults: by which rules the sandbox goes wrong for an account.
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { FaultReport } from '../../processors/sandbox/faults/fault-plan.ts';
import type { Sandbox } from '../../processors/sandbox/sandbox-interface.ts';
import { type CommonOptions, declare } from '../command.ts';
import { compactJson } from '../compact-json.ts';
import { WrongUsage } from '../exit.ts';
import { print, type Result } from '../output.ts';
import { table } from '../table.ts';
import { ACCOUNT_FLAG, type AccountOption } from '../which-account.ts';
import { SANDBOX_SETTINGS, withSandbox } from './with-sandbox.ts';

interface Options extends CommonOptions, AccountOption {
  readonly show?: boolean;
  readonly clear?: boolean;
}

const NONE = { seed: 0, rules: [] };

export function sandboxFaults(parent: Command): void {
  declare(parent, {
    usage: 'faults [file]',
    summary: 'Let calls of an account go wrong by the rules in a JSON file, {"seed": 1, "rules": [{"match": {}, "do": {}}]}',
    examples: ['sandbox faults faults.json', 'sandbox faults --show', 'sandbox faults --clear'],
    settings: SANDBOX_SETTINGS,
  })
    .option('--show', 'the rules as they are, and how often each has struck')
    .option('--clear', 'nothing goes wrong any more, except what the cards do')
    .option(...ACCOUNT_FLAG)
    .action(faults);
}

async function faults(file: string | undefined, options: Options): Promise<void> {
  const { show = false, clear = false } = options;
  if ([file !== undefined, show, clear].filter(Boolean).length !== 1) throw new WrongUsage('Name a file, or say --show or --clear.');
  const plan = file === undefined ? NONE : await planIn(file);
  await withSandbox(options, async (sandbox, opened) => {
    const { whichAccount } = await import('../which-account.ts');
    const accountId = await whichAccount(opened, options);
    const report = show ? await sandbox.faults(accountId) : await set(sandbox, accountId, plan, file);
    print(result(report), options);
  });
}

/** JSON of any shape: whether it is a plan is the sandbox's word. Throws WrongUsage. */
async function planIn(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((fault: Error) => {
    throw new WrongUsage(`${file} cannot be read: ${fault.message}`);
  });
  try {
    return JSON.parse(text);
  } catch (fault) {
    throw new WrongUsage(`${file} holds no JSON: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
}

async function set(sandbox: Sandbox, accountId: string, plan: unknown, file = ''): Promise<FaultReport> {
  const answer = await sandbox.setFaults(accountId, plan);
  if (answer.kind === 'set') return answer.report;
  throw new WrongUsage([`${file} was not taken, the rules are what they were:`, ...answer.problems.map((one) => `  ${one}`)].join('\n'));
}

function result(report: FaultReport): Result {
  const { seed, rules = [], counts = [] } = report;
  if (rules.length === 0) return { json: report, text: 'No rules: nothing goes wrong, except what the cards do.' };
  const rows = rules.map(({ match, do: what }, place) => {
    const { fitted = 0, struck = 0 } = counts[place] ?? {};
    return [String(place), compactJson(match), compactJson(what), String(fitted), String(struck)];
  });
  return { json: report, text: `${table(['rule', 'match', 'do', 'fitted', 'struck'], rows)}\nseed ${seed}` };
}
