// The work of counterfoil webhooks endpoints. An endpoint is never shown with its secret, unless the secret was just
// made.
import { MESSAGE_TYPES } from '../../domain/message.ts';
import { type EndpointState, type ExistingEndpoint, endpointState } from '../../domain/webhook-endpoint.ts';
import { lastAttemptAnswer } from '../../http/answers/webhooks.ts';
import { webhookEndpoints } from '../../projections/models/webhook-endpoints.ts';
import { endpointsOf } from '../../queries/list-deliveries.ts';
import { healthIn, sameEndpoints } from '../../queries/webhook-endpoints.ts';
import type { Service } from '../../service.ts';
import { formatTime, parseTime } from '../../world.ts';
import type { GivenValues } from '../command.ts';
import { effective } from '../effect.ts';
import { whichAccount, wholeId } from '../named.ts';
import type { Opened } from '../open/open.ts';
import { type CommandResult, tell } from '../output.ts';
import type { endpoints as rows } from '../rows/webhooks.ts';
import { listing, toMinute } from '../table.ts';
import { roughly } from '../values.ts';
import { responseWords } from './deliveries.ts';

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
  const at = service.world.now();
  const data: ListedEndpoint[] = [];
  for (const { id, doc } of await endpointsOf(service.readModels, accountId))
    data.push({ ...endpointView(id, doc), ...(await deliveriesTo(service, id, doc, at)) });
  return { json: { data }, text: asTable(data, at) };
}

type DeliveriesTo = Awaited<ReturnType<typeof deliveriesTo>>;
type ListedEndpoint = EndpointView & DeliveriesTo;

/** How the deliveries to an endpoint go. `at`: now, ms. */
async function deliveriesTo({ queries }: Service, id: string, { accountId }: ExistingEndpoint, at: number) {
  const read = await queries.readWebhookEndpoint(id, accountId);
  const health = 'kind' in read ? {} : read.health;
  const lastHour = await queries.recentDeliveries(id, at);
  const { waiting, retrying, delivered, failed } = await queries.countMessages(id, at);
  return {
    health: healthIn(health, lastHour),
    lastAttempt: health.lastAttempt === undefined ? null : lastAttemptAnswer(health.lastAttempt),
    waiting: { count: waiting.count, isMore: waiting.isMore },
    retrying,
    lastDay: { delivered, failed },
    lastHour,
  };
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

/** `at`: now, ms. */
const asTable = (endpoints: readonly ListedEndpoint[], at: number): string =>
  listing(
    'webhook endpoints',
    [
      'id',
      'state',
      { cut: 'response', keeps: 'start' },
      'backlog',
      'failed',
      'last hour',
      { spare: 'added' },
      { spare: 'account' },
      { spare: 'events' },
      { cut: 'url', keeps: 'end' },
    ],
    endpoints.map((endpoint) => [
      endpoint.id,
      stateWord(endpoint),
      lastWords(endpoint, at),
      counted(endpoint.waiting, endpoint.retrying),
      counted(endpoint.lastDay.failed),
      hourWords(endpoint),
      toMinute(endpoint.addedAt),
      endpoint.accountId,
      endpoint.events?.join(', ') ?? 'all',
      endpoint.url,
    ]),
  );

/** `failing`: enabled, and it takes nothing. What fails in part has its numbers in the column of the last hour. */
const stateWord = ({ state, health }: ListedEndpoint): string =>
  state === 'enabled' && health === 'failing' ? health : state;

function lastWords({ lastAttempt }: ListedEndpoint, at: number): string {
  if (lastAttempt === null) return 'no call yet';
  return `${responseWords(lastAttempt)}, ${roughly(at - (parseTime(lastAttempt.at) ?? at))} ago`;
}

const counted = (...counts: readonly DeliveriesTo['retrying'][]): string =>
  `${counts.reduce((sum, { count }) => sum + count, 0)}${counts.some(({ isMore }) => isMore) ? '+' : ''}`;

const hourWords = ({ lastHour: { tried, taken, isMore } }: ListedEndpoint): string =>
  tried === 0 ? 'no call' : `${taken} of ${tried}${isMore ? '+' : ''}`;
