// Webhook endpoints: added, disabled and given a new secret by operators and users of the dashboard; a secret is shown once (contract §8).
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import { MESSAGE_TYPES } from '../../domain/payment/message.ts';
import {
  addEndpoint as decideAdding,
  disableEndpoint as decideDisabling,
  rotateSecret as decideRotation,
} from '../../domain/webhook-endpoint/decide.ts';
import type { WebhookEndpointEvent } from '../../domain/webhook-endpoint/events.ts';
import type { ExistingEndpoint, WebhookEndpoint } from '../../domain/webhook-endpoint/state.ts';
import { type ActingUser, operatorContext } from '../../journal/contexts.ts';
import type { Folded } from '../../journal/fold.ts';
import { transact } from '../../journal/transact.ts';
import { newId } from '../../world.ts';
import { type Answer, type Completed, completed } from '../caller.ts';
import { machineTime } from '../users/machine-time.ts';
import { endpointUrl } from './endpoint-url.ts';
import type { WebhookNeeds } from './needs.ts';
import { endpointSecret } from './signature.ts';

/** A user of the dashboard, who sees the endpoints of the own account alone. */
export interface EndpointUser extends ActingUser {
  readonly accountId: string;
}

export interface EndpointWithSecret extends Completed<ExistingEndpoint> {
  /** `whsec_…`; it cannot be shown again. */
  readonly secret: string;
}

export interface NewEndpoint {
  readonly accountId: string;
  readonly url: string;
  /** Message types; left out or empty: all, later ones too. */
  readonly events?: readonly string[];
  /** The command that makes it serves it too, and it ends with that command. */
  readonly shortLived?: boolean;
}

/** Enabled endpoints of an account: every message is sent to each of them. */
const MOST_ENDPOINTS = 100;

/** RequestValidationError for a URL or a type that is none; NotFound for an unknown account; Conflict beyond MOST_ENDPOINTS. */
export async function addEndpoint(
  needs: WebhookNeeds,
  { accountId, url: text, events = [], shortLived = false }: NewEndpoint,
  by?: ActingUser,
): Promise<EndpointWithSecret | Rejection> {
  const account = await needs.accounts.current(accountId);
  if (account.state.status === 'absent') return reject('NotFound', `There is no account ${accountId}.`);
  const checked = endpointUrl(text, needs.mode, needs.isAllowedAddress);
  if ('refused' in checked) return invalid('$.url', checked.refused);
  const known: readonly string[] = MESSAGE_TYPES;
  const unknown = events.find((type) => !known.includes(type));
  if (unknown !== undefined) return invalid('$.events', `${unknown} is no type of message. There are: ${known.join(', ')}.`);
  // Several at once may pass it: the limit is for what grows without end, and no promise hangs on it.
  if ((await needs.countEndpoints(accountId)) >= MOST_ENDPOINTS)
    return reject('Conflict', `The account has ${MOST_ENDPOINTS} enabled endpoints, which is the most. Disable one that you do not need.`);
  const wanted = known.filter((type) => events.includes(type));
  const context = operatorContext(needs.world, accountId, by);
  const endpointId = newId(needs.world, 'we');
  const adding = {
    accountId,
    url: checked.url,
    addedAt: context.at,
    ...(wanted.length > 0 && { events: [...wanted] }),
  };
  await needs.mayWrite();
  const added = await transact(needs.webhookEndpoints, endpointId, context, decideAdding(adding, shortLived));
  const there = added.kind === 'rejected' ? added : existingEndpoint(endpointId, added.folded);
  return there.kind === 'rejected' ? there : { ...there, secret: endpointSecret(needs.storeKey, endpointId, 0) };
}

const invalid = (path: string, description: string): Rejection =>
  reject('RequestValidationError', description, { violations: [{ path, description }] });

export const disableEndpoint = (needs: WebhookNeeds, endpointId: string, by?: EndpointUser): Promise<Answer<ExistingEndpoint>> =>
  changeEndpoint(needs, endpointId, () => decideDisabling('asked'), by);

/** The next secret; the one before signs as well for `overlapMs` more. */
export async function rotateEndpointSecret(
  needs: WebhookNeeds,
  endpointId: string,
  overlapMs: number,
  by?: EndpointUser,
): Promise<EndpointWithSecret | Rejection> {
  const rotated = await changeEndpoint(
    needs,
    endpointId,
    ({ rotations }) => decideRotation(rotations, machineTime(needs.world) + overlapMs),
    by,
  );
  if (rotated.kind === 'rejected') return rotated;
  return { ...rotated, secret: endpointSecret(needs.storeKey, endpointId, rotated.doc.rotations) };
}

async function changeEndpoint(
  needs: WebhookNeeds,
  endpointId: string,
  decide: (endpoint: ExistingEndpoint) => (endpoint: WebhookEndpoint) => Decision<WebhookEndpointEvent>,
  by?: EndpointUser,
): Promise<Answer<ExistingEndpoint>> {
  const { state } = await needs.webhookEndpoints.current(endpointId);
  if (state.status === 'absent' || (by !== undefined && by.accountId !== state.accountId)) return missing(endpointId);
  await needs.mayWrite();
  const changed = await transact(needs.webhookEndpoints, endpointId, operatorContext(needs.world, state.accountId, by), decide(state));
  return changed.kind === 'rejected' ? changed : existingEndpoint(endpointId, changed.folded);
}

const missing = (endpointId: string): Rejection => reject('NotFound', `There is no webhook endpoint ${endpointId}.`);

/** The endpoint after a change. */
const existingEndpoint = (endpointId: string, { state, head }: Folded<WebhookEndpoint>): Answer<ExistingEndpoint> =>
  state.status === 'absent' ? missing(endpointId) : completed(endpointId, { state, head });
