// counterfoil connections: lists, shows and disables connections, gives them new references, and asks their processors.
import type { Command } from 'commander';
import type { ConnectionRow } from '../../commands/connections/connections.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { Refused, WrongUsage } from '../exit.ts';
import type { Opened } from '../open/open.ts';
import { print, tell } from '../output.ts';
import { listing, table, toMinute } from '../table.ts';
import { publicUrlOf } from '../webhook-url.ts';

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
        const data = rows.map((row) => connectionView(row, service.world.now()));
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
    usage: 'show <connection>',
    summary: 'One connection: its references, and whether they can be read here',
    examples: ['connections show con_0123', 'connections show eu'],
    json: 'has burnProven, and unreadable: why a secret cannot be read here, or null',
    settings: STORE_SETTINGS,
  }).action(async (named: string, options: CommonOptions) => {
    const { withService } = await import('../open/with-stores.ts');
    const { connectionView } = await import('./view.ts');
    await withService(options, async (opened) => {
      const row = await mustFindConnection(opened, named);
      const view = connectionView(row, opened.service.world.now());
      const { id, previousWebhookSecretUntil: until } = view;
      const isInBox = opened.sandbox?.name === view.processor;
      const problems = [...(await opened.service.connections.known.problemsOf(row)).values()];
      const rows = [
        ['id', id],
        ['name', view.name],
        ['processor', view.processor],
        ['status', view.status],
        ...Object.entries(view.secrets),
        ...(until === null ? [] : [['previous secret valid until', toMinute(until)]]),
        ...(isInBox ? [] : [['secrets', problems.length === 0 ? 'can be read here' : 'cannot be used here']]),
        ...(view.publishableKey === null ? [] : [['publishableKey', view.publishableKey]]),
        ...(view.apiUrl === null ? [] : [['apiUrl', view.apiUrl]]),
        ...(isInBox
          ? []
          : [['fences', view.burnProven ? 'proven at its server' : `not proven: connections check ${id} --script`]]),
        ...(view.eventsSweptUntil === null ? [] : [['events read until', toMinute(view.eventsSweptUntil)]]),
        ['account', view.accountId],
        ['added', toMinute(view.createdAt)],
      ];
      const unreadable = problems.length === 0 ? null : problems.join(' ');
      print({ json: { ...view, unreadable }, text: table(['member', 'value'], rows) }, options);
      if (unreadable !== null && options.json !== true) tell(unreadable);
    });
  });
}

interface NewReferencesOptions extends CommonOptions {
  readonly secretKey?: string;
  readonly webhookSecret?: string;
  readonly publishableKey?: string;
  readonly dropPrevious?: true;
}

export function connectionsRotate(parent: Command): void {
  declare(parent, {
    usage: 'rotate <connection>',
    summary: 'New references of a connection; the previous webhook secret stays valid for 24 hours',
    examples: [
      'connections rotate con_0123 --webhook-secret env:STRIPE_WEBHOOK_2',
      'connections rotate con_0123 --drop-previous',
    ],
    rules: [
      'After a new webhook secret the previous one stays valid for 24 hours; a further one is a Conflict until then.',
    ],
    settings: STORE_SETTINGS,
  })
    .option('--secret-key <reference>', 'env:NAME or file:PATH')
    .option('--webhook-secret <reference>', 'env:NAME or file:PATH')
    .option('--publishable-key <key>', 'the key that browsers may see')
    .option('--drop-previous', 'refuse notifications signed by the previous webhook secret from now on')
    .action(
      async (
        named: string,
        { secretKey, webhookSecret, publishableKey, dropPrevious, ...options }: NewReferencesOptions,
      ) => {
        const references = { secretKey, webhookSecret, publishableKey, dropPrevious };
        if (Object.values(references).every((one) => one === undefined))
          throw new WrongUsage(
            'Name at least one of --secret-key, --webhook-secret, --publishable-key and --drop-previous.',
          );
        const { withService } = await import('../open/with-stores.ts');
        await withService(options, async (opened) => {
          const { id } = await mustFindConnection(opened, named);
          await changed(opened, await opened.service.connections.rotate(id, references), options, 'has new references');
        });
      },
    );
}

export function connectionsDisable(parent: Command): void {
  declare(parent, {
    usage: 'disable <connection>',
    summary: 'Begin no new payment by a connection; its payments can still be captured, refunded and cancelled',
    examples: ['connections disable con_0123'],
    settings: STORE_SETTINGS,
  }).action(async (named: string, options: CommonOptions) => {
    const { withService } = await import('../open/with-stores.ts');
    await withService(options, async (opened) => {
      const { id } = await mustFindConnection(opened, named);
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
    usage: 'check <connection>',
    summary: 'Ask the processor about its account of a connection, and exit 1 if something needs attention',
    examples: ['connections check con_0123', 'connections check con_0123 --script --transcript run.json'],
    rules: [
      'Exits 1 if something needs attention, or a step of the script fails.',
      'After a run of the script without a failure the connection has burnProven, and “not found” is certain after a fence; a later run that fails takes that back. Refused in live mode.',
    ],
    settings: [...STORE_SETTINGS, 'host', 'port', 'publicUrl'],
  })
    .option('--script', 'try with test money what the fences of the connection rely on, and record whether it holds')
    .option('--transcript <file>', 'where its requests and responses go, without secrets; otherwise to the output')
    .action(async (named: string, { script, transcript, ...options }: CheckOptions) => {
      if (transcript !== undefined && script !== true) throw new WrongUsage('--transcript needs --script.');
      const { withService } = await import('../open/with-stores.ts');
      await withService(options, async (opened) => {
        const { knowingService } = await import('../running-address.ts');
        const row = await mustFindConnection(opened, named);
        if (script === true) {
          const { runScript } = await import('./script.ts');
          return runScript(opened, row, transcript, options);
        }
        const { id } = row;
        const publicUrl = publicUrlOf(await knowingService(opened.config, options));
        const examined = await opened.service.connections.examine(id, undefined, publicUrl);
        if (examined.kind === 'rejected') throw new Refused(examined.description);
        const { lines } = examined;
        const text = table(
          ['', 'what', 'value'],
          lines.map(({ name, value, isGood }) => [isGood ? 'ok' : '!!', name, value]),
        );
        print({ json: { id, isGood: lines.every(({ isGood }) => isGood), lines }, text }, options);
        if (lines.some(({ isGood }) => !isGood)) throw new Refused('Something needs attention: see the lines with !!.');
      });
    });
}

/** By its id, the beginning of it, or the name of an active connection of only one account. Throws Refused. */
export async function mustFindConnection(
  { service: { connections, readModels } }: Opened,
  named: string,
): Promise<ConnectionRow> {
  const { wholeId } = await import('../whole-id.ts');
  const found = await connections.known.read(await wholeId(readModels, named));
  if (found !== undefined) return found;
  const [first, ...others] = (await connections.list({ isActive: true })).filter(({ doc }) => doc.name === named);
  if (first === undefined) throw new Refused(`There is no connection ${named}. Name an active one, or any by its id.`);
  if (others.length > 0) throw new Refused(`Several accounts have a connection named ${named}. Name it by its id.`);
  return first;
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
  const row = { id: done.id, doc: done.doc };
  print({ json: connectionView(row, service.world.now()), text: `${done.id} ${words}.` }, options);
}
