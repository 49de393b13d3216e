// The work of counterfoil webhooks incoming: URLs for processors that cannot send a header.
import type { ExistingApiKey, IncomingWebhook } from '../../domain/api-key.ts';
import { type IncomingWebhookAnswer, incomingWebhookAnswer } from '../../http/answers/webhooks.ts';
import { apiKeys } from '../../projections/models/api-keys.ts';
import { allOf } from '../../queries/pages.ts';
import { knowingService, webhookUrlOf } from '../addresses.ts';
import type { CommonOptions, GivenValues } from '../command.ts';
import { effective, existing } from '../effect.ts';
import { Refused } from '../exit.ts';
import { wholeId } from '../named.ts';
import type { Opened } from '../open/open.ts';
import type { CommandResult } from '../output.ts';
import type { incoming as rows } from '../rows/webhooks.ts';
import { listing, toMinute } from '../table.ts';

type IncomingWebhookView = IncomingWebhookAnswer & { readonly accountId: string };

/** A URL as the dashboard shows it, with the account. */
const viewOf = (keyId: string, key: ExistingApiKey, webhook: IncomingWebhook, now: number): IncomingWebhookView => ({
  ...incomingWebhookAnswer(keyId, key, webhook, now),
  accountId: key.accountId,
});

export async function add(given: GivenValues<typeof rows.add>, { service, config }: Opened): Promise<CommandResult> {
  const { processor } = given;
  const known = [...service.processors.keys()];
  if (!known.includes(processor))
    throw new Refused(
      `There is no processor ${processor}. Known processors: ${known.join(', ') || 'none'}.`,
      'NotFound',
    );
  const keyId = await wholeId(service.readModels, given.key);
  const answer = await service.access.addIncomingWebhook({ keyId, processor });
  const { webhookId: id, token } = await effective(service, apiKeys, answer);
  const url = webhookUrlOf(await knowingService(config, given), processor, token);
  return {
    json: { id, url, processor, keyId },
    text: url,
    notes: [`${id}: store the URL now. It cannot be shown again.`],
  };
}

export async function list(_given: CommonOptions, { service, world }: Opened): Promise<CommandResult> {
  const data: IncomingWebhookView[] = [];
  for await (const { id, doc } of allOf(service.readModels, apiKeys, { where: {} }))
    if (doc.status !== 'absent') data.push(...(doc.webhooks ?? []).map((one) => viewOf(id, doc, one, world.now())));
  return { json: { data }, text: asTable(data) };
}

export async function revoke(
  { id: named }: GivenValues<typeof rows.revoke>,
  { service, world }: Opened,
): Promise<CommandResult> {
  const id = await wholeId(service.readModels, named);
  const revoked = await effective(service, apiKeys, await service.access.revokeIncomingWebhook(id));
  const key = existing(revoked.doc);
  const webhook = key.webhooks?.find(({ webhookId }) => webhookId === id);
  if (webhook === undefined) throw new TypeError('an incoming webhook that was just revoked is absent');
  return { json: viewOf(revoked.id, key, webhook, world.now()), text: `${id} is revoked.` };
}

const asTable = (webhooks: readonly IncomingWebhookView[]): string =>
  listing(
    'incoming webhooks',
    ['id', 'processor', 'state', { spare: 'added' }, { spare: 'account' }],
    webhooks.map(({ id, processor, state, addedAt, accountId }) => [
      id,
      processor,
      state,
      toMinute(addedAt),
      accountId,
    ]),
  );
