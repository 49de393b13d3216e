// counterfoil keys rotate: the same key id with a new secret; the old one stays good for a while.
import { type Command, Option } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { parseDuration } from '../duration.ts';
import { print, tell } from '../output.ts';

interface KeysRotateOptions extends CommonOptions {
  readonly overlap: number;
}

export function keysRotate(parent: Command): void {
  declare(parent, {
    usage: 'rotate <id>',
    summary: 'Give an API key a new secret and print it once',
    examples: ['keys rotate key_0123 --overlap 1h'],
    settings: STORE_SETTINGS,
  })
    .addOption(
      new Option('--overlap <duration>', 'how long the old secret stays valid')
        .argParser(parseDuration)
        .default(86_400_000, '24h'),
    )
    .action(rotate);
}

async function rotate(named: string, options: KeysRotateOptions): Promise<void> {
  const { withService } = await import('../open/with-stores.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { apiKeys } = await import('../../projections/models/api-keys.ts');
  const { madeView } = await import('./view.ts');
  const { Refused } = await import('../exit.ts');
  const { wholeId } = await import('../whole-id.ts');
  await withService(options, async ({ service, sandbox }) => {
    const id = await wholeId(service.readModels, named);
    const [before] = await service.readModels.get(apiKeys, [id]);
    if (sandbox === undefined && before?.doc.status !== 'absent' && before?.doc.purpose === 'sandbox') {
      throw new Refused(
        `${id} is the key of the sandbox, which is on another node. Rotate the key there, or name that node with COUNTERFOIL_SANDBOX_URL.`,
      );
    }
    const rotated = unlessRefused(await service.access.rotateApiKey(id, options.overlap));
    await untilEffective(service, apiKeys, rotated);
    const { doc, key } = rotated;
    if (doc.status === 'absent') throw new TypeError('a key that was just rotated is absent');
    // The sandbox signs in with its own key, so it has to know the new one.
    if (doc.purpose === 'sandbox') await sandbox?.connect({ accountId: doc.accountId, apiKey: key });
    print({ json: madeView(id, key, doc), text: key }, options);
    if (options.json !== true) tell(`${id}: store the key now. It cannot be shown again.`);
  });
}
