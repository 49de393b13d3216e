// counterfoil connections: lists, shows and disables connections, gives them new references, and asks their processors.
import type { Command } from 'commander';
import type { ConnectionRow } from '../../commands/connections/connections.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { Refused, WrongUsage } from '../exit.ts';
import type { Opened } from '../open/open.ts';
import { print, tell } from '../output.ts';
import { listing, table, toMinute } from '../table.ts';
import { webhookUrlOf } from '../webhook-url.ts';

interface ListOptions extends CommonOptions {
  readonly account?: string;
}

export function connectionsList(parent: Command): void {
  declare(parent, {
    usage: 'list',
    summary: 'The connections of accounts to processors, without their secrets',
    examples: ['connections list'],
    settings: STORE_SETTINGS,
  })
    .option('--account <id>', 'only connections of this account')
    .action(async ({ account, ...options }: ListOptions) => {
      const { withService } = await import('../open/with-stores.ts');
      const { connectionView } = await import('./view.ts');
      await withService(options, async ({ service }) => {
        const { wholeId } = await import('../whole-id.ts');
        const accountId = account === undefined ? undefined : await wholeId(service.readModels, account);
        const rows = await service.connections.list({ accountId });
        const data = rows.map(({ id, doc }) => connectionView(id, doc));
        const text = listing(
          'connections',
          ['name', 'processor', 'status', 'added', 'id'],
          data.map(({ name, processor, status, createdAt, id }) => [name, processor, status, toMinute(createdAt), id]),
        );
        print({ json: { data }, text }, options);
      });
    });
}

export function connectionsShow(parent: Command): void {
  declare(parent, {
    usage: 'show <id>',
    summary: 'One connection: its references, and whether they can be read here',
    examples: ['connections show con_0123'],
    settings: STORE_SETTINGS,
  }).action(async (named: string, options: CommonOptions) => {
    const { withService } = await import('../open/with-stores.ts');
    const { connectionView } = await import('./view.ts');
    await withService(options, async (opened) => {
      const { id, doc } = await mustFind(opened, named);
      const view = connectionView(id, doc);
      const unread = await unreadable(opened, { id, doc });
      const rows = [
        ['id', id],
        ['name', view.name],
        ['processor', view.processor],
        ['status', view.status],
        ...Object.entries(view.secrets),
        ...(view.publishableKey === null ? [] : [['publishableKey', view.publishableKey]]),
        ...(view.apiUrl === null ? [] : [['apiUrl', view.apiUrl]]),
        ['fences', view.burnProven ? 'proven at its server' : `not proven: connections check ${id} --script`],
        ['account', view.accountId],
        ['added', toMinute(view.createdAt)],
      ];
      print({ json: { ...view, unreadable: unread ?? null }, text: table(['member', 'value'], rows) }, options);
      if (unread !== undefined && options.json !== true) tell(unread);
    });
  });
}

interface NewReferencesOptions extends CommonOptions {
  readonly secretKey?: string;
  readonly webhookSecret?: string;
  readonly publishableKey?: string;
}

export function connectionsRotate(parent: Command): void {
  declare(parent, {
    usage: 'rotate <id>',
    summary: 'New references of a connection; notifications signed by the secret before are taken as well',
    examples: ['connections rotate con_0123 --webhook-secret env:STRIPE_WEBHOOK_2'],
    settings: STORE_SETTINGS,
  })
    .option('--secret-key <reference>', 'env:NAME or file:PATH')
    .option('--webhook-secret <reference>', 'env:NAME or file:PATH')
    .option('--publishable-key <key>', 'the key that browsers may see')
    .action(async (named: string, { secretKey, webhookSecret, publishableKey, ...options }: NewReferencesOptions) => {
      if (secretKey === undefined && webhookSecret === undefined && publishableKey === undefined)
        throw new WrongUsage('Name at least one of --secret-key, --webhook-secret and --publishable-key.');
      const { withService } = await import('../open/with-stores.ts');
      await withService(options, async (opened) => {
        const references = { secretKey, webhookSecret, publishableKey };
        const { id } = await mustFind(opened, named);
        await changed(opened, await opened.service.connections.rotate(id, references), options, 'has new references');
      });
    });
}

export function connectionsDisable(parent: Command): void {
  declare(parent, {
    usage: 'disable <id>',
    summary: 'Begin no new payment by a connection; its payments can still be captured, refunded and cancelled',
    examples: ['connections disable con_0123'],
    settings: STORE_SETTINGS,
  }).action(async (named: string, options: CommonOptions) => {
    const { withService } = await import('../open/with-stores.ts');
    await withService(options, async (opened) => {
      const { id } = await mustFind(opened, named);
      await changed(opened, await opened.service.connections.disable(id), options, 'is disabled');
    });
  });
}

interface CheckOptions extends CommonOptions {
  readonly script?: true;
  readonly transcript?: string;
}

export function connectionsCheck(parent: Command): void {
  declare(parent, {
    usage: 'check <id>',
    summary: 'Ask the processor about its account of a connection, and exit 1 if something needs attention',
    examples: ['connections check con_0123', 'connections check con_0123 --script --transcript run.json'],
    settings: [...STORE_SETTINGS, 'host', 'port', 'publicUrl'],
  })
    .option('--script', 'try with test money what the fences of the connection rely on, and record whether it holds')
    .option('--transcript <file>', 'where the run’s requests and responses go, without secrets; else to the output')
    .action(async (id: string, { script, transcript, ...options }: CheckOptions) => {
      if (transcript !== undefined && script !== true) throw new WrongUsage('--transcript needs --script.');
      const { withService } = await import('../open/with-stores.ts');
      await withService(options, async (opened) => {
        const { knowingService } = await import('../running-address.ts');
        const row = await mustFind(opened, id);
        if (script === true) {
          const { runScript } = await import('./script.ts');
          return runScript(opened, row, transcript, options);
        }
        const { known } = opened.service.connections;
        const processor = await known.processor(row.doc.processor);
        if (processor?.examine === undefined)
          throw new Refused(`The processor ${row.doc.processor} cannot be asked about its accounts.`);
        const connection = await known.resolved(row);
        const webhookUrl = webhookUrlOf(await knowingService(opened.config, options), row.doc.processor, '');
        const lines = await processor.examine({ connection, signal: AbortSignal.timeout(CHECK_WITHIN_MS) }, webhookUrl);
        const text = table(
          ['', 'what', 'value'],
          lines.map(({ name, value, isGood }) => [isGood ? 'ok' : '!!', name, value]),
        );
        print({ json: { id, isGood: lines.every(({ isGood }) => isGood), lines }, text }, options);
        if (lines.some(({ isGood }) => !isGood)) throw new Refused('Something needs attention: see the lines with !!.');
      });
    });
}

const CHECK_WITHIN_MS = 20_000;

async function mustFind({ service }: Opened, named: string): Promise<ConnectionRow> {
  const { wholeId } = await import('../whole-id.ts');
  const id = await wholeId(service.readModels, named);
  const found = await service.connections.known.read(id);
  if (found === undefined) throw new Refused(`There is no connection ${id}.`);
  return found;
}

/** Why its secrets cannot be read here; undefined if they can. */
async function unreadable({ service }: Opened, row: ConnectionRow): Promise<string | undefined> {
  const { UnresolvedSecret } = await import('../../commands/connections/secret-reference.ts');
  return service.connections.known.resolved(row).then(
    () => undefined,
    (fault: unknown) => {
      if (fault instanceof UnresolvedSecret) return fault.message;
      throw fault;
    },
  );
}

async function changed(
  { service }: Opened,
  answer: Awaited<ReturnType<Opened['service']['connections']['disable']>>,
  options: CommonOptions,
  words: string,
): Promise<void> {
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { connections } = await import('../../projections/models/connections.ts');
  const { connectionView } = await import('./view.ts');
  const done = unlessRefused(answer);
  await untilEffective(service, connections, done);
  if (done.doc.status === 'absent') throw new TypeError('a connection that was just changed is absent');
  print({ json: connectionView(done.id, done.doc), text: `${done.id} ${words}.` }, options);
}
