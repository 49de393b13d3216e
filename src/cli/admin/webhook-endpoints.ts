// The work of counterfoil webhooks endpoints. An endpoint is never shown with its secret, unless the secret was just
// made.
import { MESSAGE_TYPES } from '../../domain/payment/message.ts';
import { type EndpointState, type ExistingEndpoint, endpointState } from '../../domain/webhook-endpoint.ts';
import { webhookEndpoints } from '../../projections/models/webhook-endpoints.ts';
import { endpointsOf } from '../../queries/list-deliveries.ts';
import { sameEndpoints } from '../../queries/webhook-endpoints.ts';
import { formatTime } from '../../world.ts';
import type { GivenValues } from '../command.ts';
import { effective } from '../effect.ts';
import { whichAccount, wholeId } from '../named.ts';
import type { Opened } from '../open/open.ts';
import { type CommandResult, tell } from '../output.ts';
import type { endpoints as rows } from '../rows/webhooks.ts';
import { listing, toMinute } from '../table.ts';

interface EndpointView {
  readonly id: string;
  readonly url: string;
  /** The wanted message types; null: all. */
  readonly events: readonly string[] | null;
  readonly accountId: string;
  /** `gone`: the receiver answered 410. */
  readonly state: EndpointState;
  readonly addedAt: string;
  readonly disabledAt: string | null;
  readonly deletedAt: string | null;
}

const endpointView = (id: string, doc: ExistingEndpoint): EndpointView => ({
  id,
  url: doc.url,
  events: doc.events ?? null,
  accountId: doc.accountId,
  state: endpointState(doc),
  addedAt: formatTime(doc.addedAt),
  disabledAt: doc.disabled === undefined ? null : formatTime(doc.disabled.at),
  deletedAt: doc.deletedAt === undefined ? null : formatTime(doc.deletedAt),
});

/** `events` are the types of messages that it gets today. */
const withSecret = (id: string, secret: string, { url, events, accountId }: ExistingEndpoint): CommandResult => ({
  json: { id, url, secret, events: events ?? MESSAGE_TYPES, accountId },
  text: secret,
  notes: [`${id}: store the secret now. It cannot be shown again.`],
});

export async function add(given: GivenValues<typeof rows.add>, opened: Opened): Promise<CommandResult> {
  const { url, events } = given;
  const { service } = opened;
  const accountId = await whichAccount(opened, given);
  const request = { accountId, url, ...(events !== undefined && { events }) };
  const answer = await service.webhooks.addWebhookEndpoint(request);
  const { id, doc, secret } = await effective(service, webhookEndpoints, answer);
  for (const other of await sameEndpoints(service.readModels, id, doc))
    tell(`${other} has the same URL and types, so each message is sent to both. Consider disabling one of them.`);
  return withSecret(id, secret, doc);
}

export async function list({ account }: GivenValues<typeof rows.list>, { service }: Opened): Promise<CommandResult> {
  const accountId = account === undefined ? undefined : await wholeId(service.readModels, account);
  const data = (await endpointsOf(service.readModels, accountId)).map(({ id, doc }) => endpointView(id, doc));
  return { json: { data }, text: asTable(data) };
}

export async function change(given: GivenValues<typeof rows.change>, { service }: Opened): Promise<CommandResult> {
  const { url, events } = given;
  const id = await wholeId(service.readModels, given.id);
  const wanted = { ...(url !== undefined && { url }), ...(events !== undefined && { events }) };
  const answer = await service.webhooks.changeWebhookEndpoint(id, wanted);
  const { doc } = await effective(service, webhookEndpoints, answer);
  return { json: endpointView(id, doc), text: `${id} gets ${doc.events?.join(', ') ?? 'all types'} at ${doc.url}` };
}

export async function disable(
  { id: named }: GivenValues<typeof rows.disable>,
  { service }: Opened,
): Promise<CommandResult> {
  const id = await wholeId(service.readModels, named);
  const { doc } = await effective(service, webhookEndpoints, await service.webhooks.disableWebhookEndpoint(id));
  return { json: endpointView(id, doc), text: `${id} is disabled.` };
}

export async function remove(
  { id: named }: GivenValues<typeof rows.remove>,
  { service }: Opened,
): Promise<CommandResult> {
  const id = await wholeId(service.readModels, named);
  const { doc } = await effective(service, webhookEndpoints, await service.webhooks.deleteWebhookEndpoint(id));
  return { json: endpointView(id, doc), text: `${id} is deleted.` };
}

export async function rotateSecret(
  { id: named, overlap }: GivenValues<typeof rows.rotateSecret>,
  { service }: Opened,
): Promise<CommandResult> {
  const id = await wholeId(service.readModels, named);
  const answer = await service.webhooks.rotateWebhookSecret(id, overlap);
  const { doc, secret } = await effective(service, webhookEndpoints, answer);
  return withSecret(id, secret, doc);
}

const asTable = (endpoints: readonly EndpointView[]): string =>
  listing(
    'webhook endpoints',
    ['id', 'state', { spare: 'added' }, { spare: 'account' }, 'events', 'url'],
    endpoints.map(({ id, state, addedAt, accountId, events, url }) => [
      id,
      state,
      toMinute(addedAt),
      accountId,
      events?.join(', ') ?? 'all',
      url,
    ]),
  );
