// All commands, as commander knows them: rows by their groups, each with the module of its functions.
import { Command } from 'commander';
import { add, group, suggesting } from './add-commands.ts';
import { helpConfiguration, isAskedForSettings } from './help.ts';
import { commanderOutput } from './output.ts';
import { packageVersion } from './package-version.ts';
import { accounts, keys, secrets, users } from './rows/access.ts';
import { audit, books, conservation, proofs } from './rows/audit.ts';
import { connections, routing } from './rows/connections.ts';
import { agreements, customers, notifications, payments } from './rows/payments.ts';
import { projections } from './rows/projections.ts';
import { clock, sandboxActs, sandboxBooks } from './rows/sandbox.ts';
import { backup, config, copy, doctor, serve, version } from './rows/stores.ts';
import { demo, listen, trigger } from './rows/trial.ts';
import { deliveries, endpoints, incoming } from './rows/webhooks.ts';

export function program(): Command {
  const root = suggesting(
    new Command('counterfoil')
      .description('Event-sourced payments service.')
      .enablePositionalOptions() // a public key that begins with -V is not an option of the program
      .exitOverride()
      .version(packageVersion()),
  );
  root.configureOutput(commanderOutput);
  root.configureHelp(helpConfiguration);
  root.addHelpText('after', () => (isAskedForSettings() ? '' : '\nSettings: --help settings lists all of them.'));
  add(root, serve, () => import('./serve/serve.ts'));
  add(root, demo, () => import('./demo/demo.ts'));
  addAdministration(root);
  add(root, listen, () => import('./listen/listen.ts'));
  add(root, trigger, () => import('./demo/trigger.ts'));
  add(root, books, () => import('./audit/sums.ts'));
  const log = group(root, 'audit', 'The event log itself');
  add(log, audit, () => import('./audit/streams.ts'));
  add(log, proofs, () => import('./audit/proofs.ts'));
  add(log, conservation, () => import('./audit/sums.ts'));
  const sandbox = group(
    root,
    'sandbox',
    'The sandbox processor, and the business clock that it shares with the service (test mode)',
  );
  add(sandbox, clock, () => import('./sandbox/clock.ts'));
  add(sandbox, sandboxBooks, () => import('./sandbox/books.ts'));
  add(sandbox, sandboxActs, () => import('./sandbox/acts.ts'));
  add(root, backup, () => import('./backup/run.ts'));
  add(root, copy, () => import('./copy.ts'));
  add(root, config, () => import('./about.ts'));
  add(root, doctor, () => import('./doctor/doctor.ts'));
  add(root, version, () => import('./about.ts'));
  return root;
}

/** The groups by which operators manage a store, in the order of the help. */
function addAdministration(root: Command): void {
  const all = (name: string, summary: string): Command => group(root, name, summary);
  add(all('accounts', 'Accounts, to which everything else belongs'), accounts, () => import('./admin/accounts.ts'));
  add(all('keys', 'API keys'), keys, () => import('./admin/keys.ts'));
  add(all('secrets', 'The master secret of the store'), secrets, () => import('./admin/secrets.ts'));
  add(all('connections', 'Connections of accounts to processors'), connections, () => import('./admin/connections.ts'));
  add(
    all('routing', 'Rules by which payments are routed over connections'),
    routing,
    () => import('./admin/routing.ts'),
  );
  add(all('users', 'Users of the dashboard'), users, () => import('./admin/users.ts'));
  const models = all('projections', 'Read models: their progress, rebuilds and parked streams');
  const { list, rebuild, ...parked } = projections;
  add(models, { list }, () => import('./admin/projections.ts'));
  add(models, { rebuild }, () => import('./admin/rebuild.ts'));
  add(models, parked, () => import('./admin/projections.ts'));
  const ofPayments = all('payments', 'Payments of every account');
  add(ofPayments, { show: payments.show }, () => import('./admin/payments-show.ts'));
  add(ofPayments, { list: payments.list }, () => import('./admin/payments-list.ts'));
  add(ofPayments, { resolve: payments.resolve }, () => import('./admin/payments-resolve.ts'));
  add(all('agreements', 'What customers agreed to be charged for'), agreements, () => import('./admin/agreements.ts'));
  add(all('customers', "Merchants' customers"), customers, () => import('./admin/customers.ts'));
  add(
    all('notifications', 'Notifications of processors without a known payment'),
    notifications,
    () => import('./admin/notifications.ts'),
  );
  const webhooks = all('webhooks', 'Webhooks: messages to merchants, and paths for processors');
  add(
    group(webhooks, 'endpoints', 'Merchants’ receivers of messages about payments'),
    endpoints,
    () => import('./admin/webhook-endpoints.ts'),
  );
  add(webhooks, deliveries, () => import('./admin/deliveries.ts'));
  add(
    group(webhooks, 'incoming', 'Paths for processors that cannot send a header'),
    incoming,
    () => import('./admin/incoming-webhooks.ts'),
  );
}
