// counterfoil accounts: creates, renames and lists accounts, and names the origins that may show their checkout.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { listing, toSecond } from '../table.ts';
import { ACCOUNT_FLAG, type AccountOption } from '../which-account.ts';

interface AccountOptions extends CommonOptions {
  readonly name: string;
  readonly operator?: boolean;
}

/** In test mode it makes the key, too, that the sandbox notifies the account with. */
export function accountsCreate(parent: Command): void {
  declare(parent, {
    usage: 'create',
    summary: 'Create an account',
    examples: ['accounts create --name "Corner shop"'],
    rules: [
      'Users of an account with --operator, and of the first account of a store, may change what concerns the whole store: its clock, and rebuilds.',
    ],
    settings: STORE_SETTINGS,
  })
    .requiredOption('--name <name>', 'its name, 1 to 255 characters')
    .option(
      '--operator',
      'allow its users to change settings of the whole store, such as its clock; the first account always may',
    )
    .action(async (options: AccountOptions) => {
      const { withService } = await import('../open/with-stores.ts');
      const { makeAccount } = await import('./make-account.ts');
      await withService(options, async (opened) => {
        const account = await makeAccount(opened, options.name, options.operator === true);
        print({ json: account, text: `${account.id}  ${account.name}` }, options);
      });
    });
}

export function accountsList(parent: Command): void {
  declare(parent, {
    usage: 'list',
    summary: 'The accounts',
    examples: ['accounts list'],
    settings: STORE_SETTINGS,
  }).action(async (options: CommonOptions) => {
    const { withService } = await import('../open/with-stores.ts');
    const { allOf } = await import('../../queries/pages.ts');
    const { accounts } = await import('../../projections/models/accounts.ts');
    const { accountView } = await import('./make-account.ts');
    await withService(options, async ({ service }) => {
      const data = [];
      for await (const { id, doc } of allOf(service.readModels, accounts, { where: {} }))
        data.push(accountView(id, doc));
      const rows = data.map(({ id, name, createdAt }) => [id, name, createdAt === null ? '' : toSecond(createdAt)]);
      print({ json: { data }, text: listing('accounts', ['id', 'name', 'created'], rows) }, options);
    });
  });
}

export function accountsRename(parent: Command): void {
  declare(parent, {
    usage: 'rename <id> <name>',
    summary: "Rename an account: its users and its customers' banks show the new name, 1 to 255 characters",
    examples: ['accounts rename acc_0123 "Corner shop"'],
    settings: STORE_SETTINGS,
  }).action(async (named: string, name: string, options: CommonOptions) => {
    const { withService } = await import('../open/with-stores.ts');
    const { unlessRefused, untilEffective } = await import('../effect.ts');
    const { accounts } = await import('../../projections/models/accounts.ts');
    const { wholeId } = await import('../whole-id.ts');
    const { accountView, refuseName } = await import('./make-account.ts');
    refuseName('The name', name);
    await withService(options, async ({ service }) => {
      const id = await wholeId(service.readModels, named);
      const renamed = unlessRefused(await service.access.renameAccount(id, name));
      await untilEffective(service, accounts, renamed);
      print({ json: accountView(id, renamed.doc), text: `${id}  ${name}` }, options);
    });
  });
}

interface OriginsOptions extends CommonOptions, AccountOption {
  readonly origins: readonly string[];
}

/** `none`: no page at all. */
const parseOrigins = (text: string): readonly string[] =>
  text === 'none' ? [] : text.split(',').map((origin) => origin.trim());

export function accountsSetOrigins(parent: Command): void {
  declare(parent, {
    usage: 'set-origins',
    summary:
      "Set the origins whose pages may frame an account's checkout in live mode, effective from the next page load",
    examples: ['accounts set-origins --origins https://shop.example,https://www.shop.example'],
    rules: [
      'Names all origins whose pages may frame the checkout in live mode: https, or http on the own machine, without a path.',
    ],
    settings: STORE_SETTINGS,
  })
    .requiredOption('--origins <a,b|none>', 'the complete list, which replaces the previous one', parseOrigins)
    .option(...ACCOUNT_FLAG)
    .action(async (options: OriginsOptions) => {
      const { withService } = await import('../open/with-stores.ts');
      const { unlessRefused, untilEffective } = await import('../effect.ts');
      const { accounts } = await import('../../projections/models/accounts.ts');
      const { whichAccount } = await import('../which-account.ts');
      const { accountView } = await import('./make-account.ts');
      await withService(options, async (opened) => {
        const { service } = opened;
        const id = await whichAccount(opened, options);
        const set = unlessRefused(await service.access.setAllowedOrigins(id, options.origins));
        await untilEffective(service, accounts, set);
        const account = accountView(id, set.doc);
        print(
          { json: account, text: `${id} may be framed by: ${account.allowedOrigins.join(', ') || 'no origin'}` },
          options,
        );
      });
    });
}
