// counterfoil webhooks endpoints rotate-secret: a new secret; for a while both sign, so that the receiver changes its own in peace.
import { type Command, Option } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { parseDuration } from '../duration.ts';
import { print, tell } from '../output.ts';

interface Options extends CommonOptions {
  readonly overlap: number;
}

export function webhooksEndpointsRotateSecret(parent: Command): void {
  declare(parent, {
    usage: 'rotate-secret <id>',
    summary: 'Give an endpoint a new secret and print it, once; the old one signs as well for a while',
    examples: ['webhooks endpoints rotate-secret we_0123 --overlap 1h'],
    settings: STORE_SETTINGS,
  })
    .addOption(new Option('--overlap <duration>', 'how long both secrets sign').argParser(parseDuration).default(86_400_000, '24h'))
    .action(async (id: string, options: Options) => {
      const { withService } = await import('../open/with-stores.ts');
      const { unlessRefused, untilEffective } = await import('../effect.ts');
      const { webhookEndpoints } = await import('../../projections/models/webhook-endpoints.ts');
      const { withSecret } = await import('./endpoint-view.ts');
      await withService(options, async ({ service }) => {
        const rotated = unlessRefused(await service.webhooks.rotateWebhookSecret(id, options.overlap));
        await untilEffective(service, webhookEndpoints, rotated);
        print({ json: withSecret(id, rotated.secret, rotated.doc), text: rotated.secret }, options);
        if (options.json !== true) tell(`${id}: keep the secret now, it cannot be shown again.`);
      });
    });
}
