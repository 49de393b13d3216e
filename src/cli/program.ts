// All commands, as commander knows them: one command a file. Each loads its modules when it runs, so that all start fast.
import { Command } from 'commander';
import { accountsCreate } from './accounts/create.ts';
import { accountsList } from './accounts/list.ts';
import { accountsSetOrigins } from './accounts/set-origins.ts';
import { auditReplay } from './audit/replay.ts';
import { auditShow } from './audit/show.ts';
import { auditStreams } from './audit/streams.ts';
import { books } from './books.ts';
import { group } from './command.ts';
import { copy } from './copy.ts';
import { demo } from './demo/demo.ts';
import { keysCreate } from './keys/create.ts';
import { keysList } from './keys/list.ts';
import { keysRevoke } from './keys/revoke.ts';
import { keysRotate } from './keys/rotate.ts';
import { keysSetScopes } from './keys/set-scopes.ts';
import { notificationsDiscard } from './notifications/discard.ts';
import { notificationsParked } from './notifications/parked.ts';
import { notificationsRetry } from './notifications/retry.ts';
import { commanderOutput } from './output.ts';
import { paymentsList } from './payments/list.ts';
import { paymentsResolve } from './payments/resolve.ts';
import { paymentsShow } from './payments/show.ts';
import { projectionsDiscard } from './projections/discard.ts';
import { projectionsList } from './projections/list.ts';
import { projectionsParked } from './projections/parked.ts';
import { projectionsRebuild } from './projections/rebuild.ts';
import { projectionsRetry } from './projections/retry.ts';
import { sandboxClock } from './sandbox/clock.ts';
import { sandboxDiff } from './sandbox/diff.ts';
import { sandboxFaults } from './sandbox/faults.ts';
import { sandboxLedger } from './sandbox/ledger.ts';
import { sandboxReset } from './sandbox/reset.ts';
import { sandboxWait } from './sandbox/wait.ts';
import { serve } from './serve/serve.ts';
import { showConfig } from './show-config.ts';
import { usersAdd } from './users/add.ts';
import { usersDisable } from './users/disable.ts';
import { usersList } from './users/list.ts';
import { usersReset } from './users/reset.ts';
import { packageVersion, version } from './version.ts';
import { webhooksIncomingAdd } from './webhooks/incoming-add.ts';
import { webhooksIncomingList } from './webhooks/incoming-list.ts';
import { webhooksIncomingRevoke } from './webhooks/incoming-revoke.ts';

export function program(): Command {
  const root = new Command('counterfoil').description('Event-sourced payments service.').exitOverride().version(packageVersion());
  root.configureOutput(commanderOutput);
  root.configureHelp({ sortSubcommands: false, subcommandTerm: (command) => command.name() });
  serve(root);
  demo(root);
  addTo(group(root, 'accounts', 'Accounts: everything belongs to one'), [accountsCreate, accountsList, accountsSetOrigins]);
  addTo(group(root, 'keys', 'API keys'), [keysCreate, keysList, keysSetScopes, keysRevoke, keysRotate]);
  addTo(group(root, 'users', 'Users of the dashboard'), [usersAdd, usersList, usersDisable, usersReset]);
  const projections = group(root, 'projections', 'Read models: how far they are, rebuilding them, streams they hold back');
  addTo(projections, [projectionsList, projectionsRebuild, projectionsParked, projectionsRetry, projectionsDiscard]);
  addTo(group(root, 'payments', 'Payments of every account'), [paymentsShow, paymentsList, paymentsResolve]);
  const notifications = group(root, 'notifications', 'Processors’ notifications that name no known payment');
  addTo(notifications, [notificationsParked, notificationsRetry, notificationsDiscard]);
  const incoming = group(group(root, 'webhooks', 'Webhooks'), 'incoming', 'Paths for processors that cannot send a header');
  addTo(incoming, [webhooksIncomingAdd, webhooksIncomingList, webhooksIncomingRevoke]);
  books(root);
  addTo(group(root, 'audit', 'The event log itself'), [auditStreams, auditShow, auditReplay]);
  const sandbox = group(root, 'sandbox', 'The sandbox processor, and the business clock that it shares with the service (test mode)');
  addTo(sandbox, [sandboxClock, sandboxFaults, sandboxLedger, sandboxDiff, sandboxWait, sandboxReset]);
  copy(root);
  showConfig(root);
  version(root);
  return root;
}

function addTo(parent: Command, commands: readonly ((parent: Command) => void)[]): void {
  for (const command of commands) command(parent);
}
