// All commands, as commander knows them: a file holds one, or the short ones of a subject. Each loads its modules when
// it runs, so that all start fast.
import { Command } from 'commander';
import { accountsCreate, accountsList, accountsRename, accountsSetOrigins } from './accounts/accounts.ts';
import { auditConservation } from './audit/conservation.ts';
import { auditCheckpoint, auditExport, auditKey, auditVerify } from './audit/proofs.ts';
import { auditReplay } from './audit/replay.ts';
import { auditShow } from './audit/show.ts';
import { auditStreams } from './audit/streams.ts';
import { backup, restore } from './backup/backup.ts';
import { books } from './books.ts';
import { group } from './command.ts';
import { connectionsAdd } from './connections/add.ts';
import {
  connectionsCheck,
  connectionsDisable,
  connectionsList,
  connectionsRotate,
  connectionsShow,
} from './connections/connections.ts';
import { connectionsReconcile } from './connections/reconcile.ts';
import { copy } from './copy.ts';
import { customersErase } from './customers/erase.ts';
import { demo } from './demo/demo.ts';
import { doctor } from './doctor/doctor.ts';
import { keysRevoke, keysSetScopes } from './keys/change.ts';
import { keysCreate } from './keys/create.ts';
import { keysList } from './keys/list.ts';
import { keysRotate } from './keys/rotate.ts';
import { listen } from './listen/listen.ts';
import { notificationsDiscard, notificationsRetry } from './notifications/change.ts';
import { notificationsParked } from './notifications/parked.ts';
import { commanderOutput } from './output.ts';
import { paymentsList } from './payments/list.ts';
import { paymentsResolve } from './payments/resolve.ts';
import { paymentsShow } from './payments/show.ts';
import { projectionsList } from './projections/list.ts';
import { projectionsParked } from './projections/parked.ts';
import { projectionsRebuild } from './projections/rebuild.ts';
import { projectionsRelease } from './projections/release.ts';
import { projectionsDiscard, projectionsRetry } from './projections/unpark.ts';
import { routingClear, routingSet, routingShow, routingTest } from './routing/routing.ts';
import { sandboxAct } from './sandbox/act.ts';
import { sandboxClock } from './sandbox/clock.ts';
import { sandboxDiff } from './sandbox/diff.ts';
import { sandboxFaults } from './sandbox/faults.ts';
import { sandboxLedger } from './sandbox/ledger.ts';
import { sandboxReset } from './sandbox/reset.ts';
import { sandboxWait } from './sandbox/wait.ts';
import { secretsRewrap, secretsRotate } from './secrets.ts';
import { serve } from './serve/serve.ts';
import { showConfig } from './show-config.ts';
import { trigger } from './trigger/trigger.ts';
import { usersAdd } from './users/add.ts';
import { usersDisable, usersReset } from './users/change.ts';
import { usersList } from './users/list.ts';
import { packageVersion, version } from './version.ts';
import { webhooksDeliveries, webhooksResend } from './webhooks/deliveries.ts';
import {
  webhooksEndpointsAdd,
  webhooksEndpointsChange,
  webhooksEndpointsDelete,
  webhooksEndpointsDisable,
  webhooksEndpointsList,
  webhooksEndpointsRotateSecret,
} from './webhooks/endpoints.ts';
import { webhooksIncomingAdd, webhooksIncomingList, webhooksIncomingRevoke } from './webhooks/incoming.ts';

export function program(): Command {
  const root = new Command('counterfoil')
    .description('Event-sourced payments service.')
    .enablePositionalOptions() // a public key that begins with -V is not an option of the program
    .exitOverride()
    .version(packageVersion());
  root.configureOutput(commanderOutput);
  root.configureHelp({ sortSubcommands: false, subcommandTerm: (command) => command.name() });
  serve(root);
  demo(root);
  addTo(group(root, 'accounts', 'Accounts, to which everything else belongs'), [
    accountsCreate,
    accountsList,
    accountsRename,
    accountsSetOrigins,
  ]);
  addTo(group(root, 'keys', 'API keys'), [keysCreate, keysList, keysSetScopes, keysRevoke, keysRotate]);
  addTo(group(root, 'secrets', 'The master secret of the store'), [secretsRotate, secretsRewrap]);
  addTo(group(root, 'connections', 'Connections of accounts to processors'), [
    connectionsAdd,
    connectionsList,
    connectionsShow,
    connectionsRotate,
    connectionsDisable,
    connectionsCheck,
    connectionsReconcile,
  ]);
  addTo(group(root, 'routing', 'Rules by which payments are routed over connections'), [
    routingSet,
    routingClear,
    routingShow,
    routingTest,
  ]);
  addTo(group(root, 'users', 'Users of the dashboard'), [usersAdd, usersList, usersDisable, usersReset]);
  const projections = group(root, 'projections', 'Read models: their progress, rebuilds and parked streams');
  addTo(projections, [
    projectionsList,
    projectionsRebuild,
    projectionsParked,
    projectionsRetry,
    projectionsDiscard,
    projectionsRelease,
  ]);
  addTo(group(root, 'payments', 'Payments of every account'), [paymentsShow, paymentsList, paymentsResolve]);
  addTo(group(root, 'customers', "Merchants' customers"), [customersErase]);
  const notifications = group(root, 'notifications', 'Notifications of processors without a known payment');
  addTo(notifications, [notificationsParked, notificationsRetry, notificationsDiscard]);
  const webhooks = group(root, 'webhooks', 'Webhooks: messages to merchants, and paths for processors');
  const endpoints = group(webhooks, 'endpoints', 'Merchants’ receivers of messages about payments');
  addTo(endpoints, [
    webhooksEndpointsAdd,
    webhooksEndpointsList,
    webhooksEndpointsChange,
    webhooksEndpointsDisable,
    webhooksEndpointsRotateSecret,
    webhooksEndpointsDelete,
  ]);
  addTo(webhooks, [webhooksDeliveries, webhooksResend]);
  const incoming = group(webhooks, 'incoming', 'Paths for processors that cannot send a header');
  addTo(incoming, [webhooksIncomingAdd, webhooksIncomingList, webhooksIncomingRevoke]);
  listen(root);
  trigger(root);
  books(root);
  addTo(group(root, 'audit', 'The event log itself'), [
    auditStreams,
    auditShow,
    auditReplay,
    auditVerify,
    auditCheckpoint,
    auditKey,
    auditExport,
    auditConservation,
  ]);
  const sandbox = group(
    root,
    'sandbox',
    'The sandbox processor, and the business clock that it shares with the service (test mode)',
  );
  addTo(sandbox, [sandboxClock, sandboxFaults, sandboxLedger, sandboxDiff, sandboxAct, sandboxWait, sandboxReset]);
  backup(root);
  restore(root);
  copy(root);
  showConfig(root);
  doctor(root);
  version(root);
  return root;
}

function addTo(parent: Command, commands: readonly ((parent: Command) => void)[]): void {
  for (const command of commands) command(parent);
}
