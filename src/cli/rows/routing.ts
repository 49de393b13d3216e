// counterfoil routing
import { ACCOUNT, command, valueOr } from '../command.ts';
import { parseDuration } from '../values.ts';

const WEEK_MS = 7 * 86_400_000;

export const routing = {
  set: command({
    usage: 'set <file>',
    summary: 'Set the rules of a JSON file, which apply to every payment from now on',
    examples: ['routing set rules.json'],
    rules: ['Exits 1 with a line for each mistake and its place.'],
    options: { account: ACCOUNT },
    opens: 'service',
  }),
  clear: command({
    usage: 'clear',
    summary: 'Remove the rules: from now on a payment goes to the connection at which its token is good',
    examples: ['routing clear'],
    rules: ['Takes effect from the next payment on.'],
    json: '{version}, 0 if there were never any rules',
    options: { account: ACCOUNT },
    opens: 'service',
  }),
  show: command({
    usage: 'show',
    summary: 'The rules as their file, and who set which version when',
    examples: ['routing show', 'routing show --json'],
    json: '{rules, versions}; rules is null without any',
    options: { account: ACCOUNT },
    opens: 'service',
  }),
  test: command({
    usage: 'test <file>',
    summary: "What the rules of a file would have chosen for the account's own past payments; it calls nobody",
    examples: ['routing test rules.json', 'routing test rules.json --since 30d'],
    rules: ['Calls nobody, and reads up to 100,000 payments of the account.'],
    json: '{payments, elsewhere, rules, isCut}',
    options: { since: valueOr('<duration>', 'how far back', parseDuration, WEEK_MS, '7d'), account: ACCOUNT },
    opens: 'service',
  }),
};
