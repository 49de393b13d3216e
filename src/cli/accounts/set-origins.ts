// counterfoil accounts set-origins: who may show the checkout in live mode.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { ACCOUNT_FLAG, type AccountOption } from '../which-account.ts';

interface Options extends CommonOptions, AccountOption {
  readonly origins: readonly string[];
}

/** `none`: no page at all. */
const parseOrigins = (text: string): readonly string[] => (text === 'none' ? [] : text.split(',').map((origin) => origin.trim()));

export function accountsSetOrigins(parent: Command): void {
  declare(parent, {
    usage: 'set-origins',
    summary: "Name the origins whose pages may frame an account's checkout in live mode; holds for the next page",
    examples: ['accounts set-origins --origins https://shop.example,https://www.shop.example'],
    settings: STORE_SETTINGS,
  })
    .requiredOption('--origins <a,b|none>', 'all of them, from now on', parseOrigins)
    .option(...ACCOUNT_FLAG)
    .action(async (options: Options) => {
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
        print({ json: account, text: `${id} may be framed by: ${account.allowedOrigins.join(', ') || 'nobody'}` }, options);
      });
    });
}
