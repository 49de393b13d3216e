// The account's webhook endpoints for a management key: listed, added, changed, given a new secret, disabled and
// deleted.
import { z } from 'zod';
import { machineTime } from '../../../commands/users/machine-time.ts';
import type { EndpointWithSecret } from '../../../commands/webhooks/manage-endpoints.ts';
import type { Webhooks } from '../../../commands/webhooks/webhooks.ts';
import { MANAGEMENT } from '../../../domain/api-key/scopes.ts';
import { ENDPOINT_STATES, type ExistingEndpoint, endpointState } from '../../../domain/webhook-endpoint/state.ts';
import { WEBHOOK_TYPES } from '../../../domain/webhook-endpoint/types.ts';
import type { Queries } from '../../../queries/queries.ts';
import { formatTime, type World } from '../../../world.ts';
import { revisionMatches } from '../../checks/if-match.ts';
import { found, notFound, type Route, route, shaped } from '../../route.ts';

const time = z.iso.datetime({ precision: 3 });
const Types = z.array(z.enum(WEBHOOK_TYPES)).min(1).optional();
const ManagedEndpoint = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the endpoint.' }),
    url: z.string().meta({ description: 'The URL that is called.' }),
    events: z
      .array(z.string())
      .optional()
      .meta({ description: 'The types of the messages that it gets. Absent: all types, later ones too.' }),
    state: z
      .enum(ENDPOINT_STATES)
      .meta({ description: 'gone: the receiver responded 410. deleted: only in the response to the deletion.' }),
    addedAt: time.meta({ description: 'When it was added.' }),
    disabledAt: time.optional().meta({ description: 'When it was disabled.' }),
    deletedAt: time.optional().meta({ description: 'When it was deleted.' }),
    previousUntil: time.optional().meta({
      description: 'After a rotation: the previous secret signs too until then, by the clock of the machine.',
    }),
  })
  .meta({ id: 'ManagedEndpoint' });
type ManagedEndpoint = z.output<typeof ManagedEndpoint>;
const ManagedEndpoints = z
  .strictObject({
    data: z.array(ManagedEndpoint).meta({ description: 'Enabled ones first, then the newest first.' }),
    isCut: z.boolean().meta({ description: 'True if the account has more endpoints than the response.' }),
  })
  .meta({ id: 'ManagedEndpoints' });
const ManagedEndpointMade = z
  .strictObject({
    endpoint: ManagedEndpoint.meta({ description: 'The endpoint, without its secret.' }),
    secret: z.string().meta({ description: '`whsec_…`, which verifies its messages. It cannot be shown again.' }),
  })
  .meta({ id: 'ManagedEndpointMade' });
const NewEndpoint = z
  .strictObject({
    url: z.string().trim().min(1).max(1_024).meta({ description: 'The URL to call.' }),
    events: Types.meta({ description: 'The types of messages to send. Absent: all types, later ones too.' }),
  })
  .meta({ id: 'NewManagedEndpoint' });
const ChangedEndpoint = z
  .strictObject({
    url: z.string().trim().min(1).max(1_024).optional().meta({ description: 'The URL to call from now on.' }),
    events: z.array(z.enum(WEBHOOK_TYPES)).min(1).nullable().optional().meta({
      description: 'The types of messages about events from now on. null: all types, later ones too.',
    }),
  })
  .meta({ id: 'ChangedManagedEndpoint' });
const WEEK_MS = 7 * 86_400_000;
const Rotation = z
  .strictObject({
    overlapMs: z.int().min(0).max(WEEK_MS).meta({ description: 'The time in which both secrets sign.' }),
  })
  .meta({ id: 'RotationOfManagedEndpoint' });

export interface EndpointRouteNeeds {
  readonly webhooks: Pick<
    Webhooks,
    | 'addWebhookEndpoint'
    | 'changeWebhookEndpoint'
    | 'deleteWebhookEndpoint'
    | 'disableWebhookEndpoint'
    | 'rotateWebhookSecret'
  >;
  readonly queries: Pick<Queries, 'listWebhookEndpoints' | 'readWebhookEndpoint'>;
  readonly world: Pick<World, 'now' | 'steady' | 'monotonic'>;
}

const PATH = '/management/webhook-endpoints';
const common = { tag: 'Webhook endpoints', scope: MANAGEMENT } as const;
const params = z.object({
  id: z
    .string()
    .regex(/^we_[0-9a-f]{1,64}$/)
    .meta({ description: 'The id of the endpoint.' }),
});

export function managedEndpointRoutes({ webhooks, queries, world }: EndpointRouteNeeds): readonly Route[] {
  const answerOf = (id: string, doc: ExistingEndpoint): ManagedEndpoint => {
    const { url, events, addedAt, disabled, deletedAt, previousExpiresAt = 0 } = doc;
    const overlaps = doc.status === 'enabled' && machineTime(world) < previousExpiresAt;
    return {
      id,
      url,
      ...(events !== undefined && { events: [...events] }),
      state: endpointState(doc),
      addedAt: formatTime(addedAt),
      ...(disabled !== undefined && { disabledAt: formatTime(disabled.at) }),
      ...(deletedAt !== undefined && { deletedAt: formatTime(deletedAt) }),
      ...(overlaps && { previousUntil: formatTime(previousExpiresAt) }),
    };
  };
  const made = ({ id, doc, secret }: EndpointWithSecret) => ({ endpoint: answerOf(id, doc), secret });
  return [
    route({
      ...common,
      method: 'GET',
      path: PATH,
      id: 'listManagedEndpoints',
      summary: 'List the webhook endpoints of the account, without their secrets',
      request: z.object({}),
      answer: ManagedEndpoints,
      async handle(_request, { caller: { accountId } }) {
        const { endpoints, isCut } = await queries.listWebhookEndpoints(accountId);
        return found({ data: endpoints.map(({ id, doc }) => answerOf(id, doc)), isCut });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: PATH,
      id: 'addManagedEndpoint',
      example: { body: { url: 'http://127.0.0.1:9/webhooks', events: ['PAYMENT.STATUS'] } },
      summary: 'Add a webhook endpoint; only this response contains its secret',
      request: z.object({ body: NewEndpoint }),
      answer: ManagedEndpointMade,
      errors: ['Conflict'],
      async handle({ body: { url, events } }, { caller }) {
        const { accountId } = caller;
        const added = { accountId, url, ...(events !== undefined && { events }) };
        return shaped(await webhooks.addWebhookEndpoint(added, caller), made);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${PATH}/:id`,
      id: 'getManagedEndpoint',
      summary: 'Read a webhook endpoint',
      request: z.object({ params }),
      answer: ManagedEndpoint,
      async handle({ params: { id } }, { caller: { accountId } }) {
        const read = await queries.readWebhookEndpoint(id, accountId);
        if ('kind' in read) return read;
        return read.doc.status === 'deleted' ? notFound() : found(answerOf(id, read.doc), read.revision);
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      path: `${PATH}/:id`,
      id: 'changeManagedEndpoint',
      example: { body: { events: ['PAYMENT.STATUS', 'PAYMENT.REFUND'] } },
      summary: 'Change the URL or the types of a webhook endpoint; messages that wait go to the new URL',
      request: z.object({ params, body: ChangedEndpoint }),
      answer: ManagedEndpoint,
      errors: ['Conflict', 'PreconditionFailed'],
      async handle({ params: { id }, body: { url, events } }, { caller, ifMatch }) {
        const change = { ...(url !== undefined && { url }), ...(events !== undefined && { events }) };
        const done = await webhooks.changeWebhookEndpoint(id, change, caller, revisionMatches(ifMatch));
        return shaped(done, ({ doc }) => answerOf(id, doc));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${PATH}/:id`,
      id: 'deleteManagedEndpoint',
      summary: 'Delete a webhook endpoint permanently; messages that wait for it are never sent',
      request: z.object({ params }),
      answer: ManagedEndpoint,
      handle: async ({ params: { id } }, { caller }) =>
        shaped(await webhooks.deleteWebhookEndpoint(id, caller), ({ doc }) => answerOf(id, doc)),
    }),
    route({
      ...common,
      method: 'POST',
      path: `${PATH}/:id/disable`,
      id: 'disableManagedEndpoint',
      summary: 'Disable a webhook endpoint permanently; nothing more is sent to it',
      request: z.object({ params }),
      answer: ManagedEndpoint,
      handle: async ({ params: { id } }, { caller }) =>
        shaped(await webhooks.disableWebhookEndpoint(id, caller), ({ doc }) => answerOf(id, doc)),
    }),
    route({
      ...common,
      method: 'POST',
      path: `${PATH}/:id/rotate-secret`,
      id: 'rotateSecretOfManagedEndpoint',
      example: { body: { overlapMs: 3_600_000 } },
      summary:
        'Give a webhook endpoint a new secret, which only this response contains; the previous one signs too for a while',
      request: z.object({ params, body: Rotation }),
      answer: ManagedEndpointMade,
      errors: ['Conflict'],
      handle: async ({ params: { id }, body: { overlapMs } }, { caller }) =>
        shaped(await webhooks.rotateWebhookSecret(id, overlapMs, caller), made),
    }),
  ];
}
