// Webhook endpoints: added, changed, given a new secret, disabled and deleted by operators, users of the dashboard and
// management keys; a secret is shown once (contract §8).

import { isIP } from 'node:net';
import { type Rejection, reject } from '../../domain/decider.ts';
import {
  addEndpoint as decideAdding,
  changeEndpoint as decideChange,
  deleteEndpoint as decideDeletion,
  disableEndpoint as decideDisabling,
  rotateSecret as decideRotation,
  type EndpointChange,
  type ExistingEndpoint,
  WEBHOOK_TYPES,
  type WebhookEndpoint,
  type WebhookEndpointEvent,
} from '../../domain/webhook-endpoint.ts';
import type { Decide } from '../../journal/transact.ts';
import { grantingOf } from '../access/manage-api-keys.ts';
import type { Answer, Caller, Completed } from '../caller.ts';
import { answerOf, type Changed, changeFor } from '../idempotency.ts';
import { machineTime } from '../users/machine-time.ts';
import type { WebhookNeeds } from './needs.ts';
import { endpointSecret } from './signature.ts';

export interface EndpointWithSecret extends Completed<ExistingEndpoint> {
  /** `whsec_…`; it cannot be shown again. */
  readonly secret: string;
}

interface NewEndpoint {
  readonly accountId: string;
  readonly url: string;
  /** Message types; left out or empty: all, later ones too. */
  readonly events?: readonly string[] | undefined;
  /** The command that makes it serves it too, and it ends with that command. */
  readonly shortLived?: boolean;
}

/** Enabled endpoints of an account: every message is sent to each of them. */
const MOST_ENDPOINTS = 100;

/**
 * `by`: a user of the dashboard or a management key, which see the endpoints of the own account alone; without it an
 * operator. RequestValidationError for a URL or a type that is none; NotFound for an unknown account; Conflict beyond
 * MOST_ENDPOINTS; InsufficientScope for a management key that may grant nobody to read payments.
 */
export async function addEndpoint(
  needs: WebhookNeeds,
  { accountId, url: text, events = [], shortLived = false }: NewEndpoint,
  by?: Caller,
): Promise<EndpointWithSecret | Rejection> {
  const refused = await refuseBlind(needs, by);
  if (refused !== undefined) return refused;
  const account = await needs.accounts.current(accountId);
  if (account.state.status === 'absent') return reject('NotFound', `There is no account ${accountId}.`);
  const checked = checkedChange(needs, { url: text, events });
  if (checked.kind === 'rejected') return checked;
  const { url = text, events: wanted } = checked.change;
  const target = { streams: needs.webhookEndpoints, resource: { prefix: 'we' } };
  const changed = await changeFor(
    needs,
    { name: 'add-webhook-endpoint', accountId, by },
    target,
    ({ context: { at: addedAt } }) =>
      decideAdding({ accountId, url, addedAt, ...(wanted != null && { events: [...wanted] }) }, shortLived),
    () => tooMany(needs, accountId),
  );
  return withSecret(needs, changed);
}

/**
 * InsufficientScope for a management key that may not grant `transactions:retrieve`: messages hold payments, and their
 * secret can forge them.
 */
async function refuseBlind(needs: WebhookNeeds, by: Caller | undefined): Promise<Rejection | undefined> {
  const granting = await grantingOf(needs, by);
  return granting === undefined || granting.includes('transactions:retrieve')
    ? undefined
    : reject(
        'InsufficientScope',
        'The messages of an endpoint contain payments. This needs a management key that may grant transactions:retrieve.',
      );
}

/** The URL as it is called, and the types in the order of WEBHOOK_TYPES, null for all. RequestValidationError. */
function checkedChange(
  { mode, isAllowedAddress }: WebhookNeeds,
  { url, events }: EndpointChange,
): { readonly kind: 'checked'; readonly change: EndpointChange } | Rejection {
  const called = url === undefined ? undefined : endpointUrl(url, mode, isAllowedAddress);
  if (called !== undefined && 'refused' in called) return invalid('$.url', called.refused);
  const known: readonly string[] = WEBHOOK_TYPES;
  const unknown = events?.find((type) => !known.includes(type));
  if (unknown !== undefined)
    return invalid('$.events', `${unknown} is not a type of message. The types are: ${known.join(', ')}.`);
  const wanted = known.filter((type) => events?.includes(type));
  return {
    kind: 'checked',
    change: {
      ...(called !== undefined && { url: called.url }),
      ...(events !== undefined && { events: wanted.length === 0 ? null : wanted }),
    },
  };
}

/** Several at once may pass it: the limit is for what grows without end, and no promise hangs on it. */
async function tooMany(needs: WebhookNeeds, accountId: string): Promise<Rejection | undefined> {
  return (await needs.countEndpoints(accountId)) < MOST_ENDPOINTS
    ? undefined
    : reject(
        'Conflict',
        `The account has ${MOST_ENDPOINTS} enabled endpoints, and may not have more. Disable one that you do not need.`,
      );
}

const invalid = (path: string, description: string): Rejection =>
  reject('RequestValidationError', description, { violations: [{ path, description }] });

/**
 * Changes the URL and the types, with `by` as in addEndpoint. Messages that wait go to the new URL. `ifMatch`: whether
 * the endpoint may have this revision. RequestValidationError as in addEndpoint; PreconditionFailed; Conflict for a
 * disabled endpoint; NotFound for an unknown or deleted one; InsufficientScope for a URL, as in addEndpoint.
 */
export async function changeEndpoint(
  needs: WebhookNeeds,
  endpointId: string,
  change: EndpointChange,
  by?: Caller,
  ifMatch?: (revision: number) => boolean,
): Promise<Answer<ExistingEndpoint>> {
  const refused = change.url === undefined ? undefined : await refuseBlind(needs, by);
  if (refused !== undefined) return refused;
  const checked = checkedChange(needs, change);
  if (checked.kind === 'rejected') return checked;
  return withEndpoint(needs, 'change-webhook-endpoint', endpointId, () => decideChange(checked.change, ifMatch), by);
}

/** Deletes an endpoint for good. The messages that wait for it are never sent. NotFound for an unknown one. */
export const deleteEndpoint = (
  needs: WebhookNeeds,
  endpointId: string,
  by?: Caller,
): Promise<Answer<ExistingEndpoint>> =>
  withEndpoint(needs, 'delete-webhook-endpoint', endpointId, () => decideDeletion, by, true);

export const disableEndpoint = (
  needs: WebhookNeeds,
  endpointId: string,
  by?: Caller,
): Promise<Answer<ExistingEndpoint>> =>
  withEndpoint(needs, 'disable-webhook-endpoint', endpointId, () => decideDisabling('asked'), by);

/**
 * The next secret; the previous one signs as well for `overlapMs` more. InsufficientScope as in addEndpoint.
 */
export const rotateEndpointSecret = async (
  needs: WebhookNeeds,
  endpointId: string,
  overlapMs: number,
  by?: Caller,
): Promise<EndpointWithSecret | Rejection> =>
  (await refuseBlind(needs, by)) ??
  withEndpoint(
    needs,
    'rotate-webhook-secret',
    endpointId,
    ({ rotations }) => decideRotation(rotations, machineTime(needs.world) + overlapMs),
    by,
  );

/** Changes an endpoint once. `evenDeleted`: a deleted one is not NotFound. */
async function withEndpoint(
  needs: WebhookNeeds,
  name: string,
  endpointId: string,
  decide: (endpoint: ExistingEndpoint) => Decide<WebhookEndpoint, WebhookEndpointEvent>,
  by?: Caller,
  evenDeleted = false,
): Promise<EndpointWithSecret | Rejection> {
  const { state } = await needs.webhookEndpoints.current(endpointId);
  if (state.status === 'absent' || (by !== undefined && by.accountId !== state.accountId))
    return missingEndpoint(endpointId);
  if (state.status === 'deleted' && !evenDeleted) return missingEndpoint(endpointId);
  const target = { streams: needs.webhookEndpoints, resource: { id: endpointId } };
  return withSecret(
    needs,
    await changeFor(needs, { name, accountId: state.accountId, by }, target, () => decide(state)),
  );
}

export const missingEndpoint = (endpointId: string): Rejection =>
  reject('NotFound', `There is no webhook endpoint ${endpointId}.`);

/**
 * The endpoint after a change, and the secret that signs since then. A call that is repeated under its key gets the
 * secret, too: it was lost on its way, or asked for twice.
 */
function withSecret(
  { storeKey }: WebhookNeeds,
  changed: Changed<WebhookEndpoint> | Rejection,
): EndpointWithSecret | Rejection {
  if (changed.kind === 'rejected') return changed;
  const { resourceId: id } = changed.effect;
  const { state: doc } = changed.folded;
  if (doc.status === 'absent') return missingEndpoint(id);
  return { ...answerOf(changed), doc, secret: endpointSecret(storeKey, id, doc.rotations) };
}

/** Names that lead to the own machine or network, wherever they are resolved. */
const OWN_NAMES = /(^|\.)(localhost|local|internal|lan|home\.arpa)\.?$/i;

/**
 * The URL as it is called, or why it is none. In live mode it is https. `isAllowed`: whether an address may be called.
 */
export function endpointUrl(
  text: string,
  mode: 'test' | 'live',
  isAllowed: (address: string) => boolean,
): { readonly url: string } | { readonly refused: string } {
  if (text.length > LONGEST_URL) return TOO_LONG;
  if (NOT_OF_URLS.test(text)) return { refused: 'The URL must not contain a space or a control character.' };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { refused: 'The URL must begin with https:// or http://.' };
  if (mode === 'live' && url.protocol !== 'https:')
    return { refused: 'In live mode the URL must begin with https://.' };
  if (url.username !== '' || url.password !== '')
    return { refused: 'The URL must not contain a user name or a password.' };
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1'); // decimal and other notations are an address by now
  if (isIP(host) === 0 ? mode === 'live' && OWN_NAMES.test(host) : !isAllowed(host))
    return { refused: `In live mode a receiver needs a public address, and ${host} is not public.` };
  if (isOfAnotherProtocol(url.port, mode)) return { refused: `The port ${url.port} is not a port of web servers.` };
  url.hash = ''; // is never sent
  // As it is kept: other characters than those of URLs are written in three each.
  return url.href.length > LONGEST_URL ? TOO_LONG : { url: url.href };
}

/** Characters: the limit of every address of a page (contract §1). */
const LONGEST_URL = 1_024;
const TOO_LONG = { refused: `The URL must have at most ${LONGEST_URL} characters.` } as const;

/** The parser of URLs drops them silently: the URL that is kept would differ from the URL that was given. */
const NOT_OF_URLS = /[\s\p{Cc}]/u;

/** True for a port below 1024 that is not 443: a call to mail or to a shell is not HTTPS. */
const isOfAnotherProtocol = (port: string, mode: 'test' | 'live'): boolean =>
  port !== '' && (Number(port) === 0 || (mode === 'live' && Number(port) < 1_024));
