// Fences: the idempotency key of a lost operation is burnt by a harmless request, then the PaymentIntent is read.
import type { LookUp, TakenBack, Unknown } from '../../domain/payment/outcome.ts';
import type { AuthorizationRequest, Call, OperationRequest } from '../processor.ts';
import type { Api, FormFields } from './api.ts';
import { authorizationOf, FENCED, isSuccess, releasedOf } from './authorized.ts';
import { EXPANDED, pathOf, readIntent } from './authorizing.ts';
import { intentOf, lookUpFollowUp } from './following.ts';
import { unreadBy } from './grading.ts';
import { PaymentIntent } from './wire.ts';

export async function fence(api: Api, request: OperationRequest, call: Call): Promise<LookUp | TakenBack> {
  const name = request.operation === 'authorization' ? request.processorTransactionId : intentOf(request);
  if (name === undefined) return { kind: 'not_found' }; // nothing is ever sent without it
  const burn = await burnt(api, name, request.reference, call);
  if (burn.kind === 'unreachable' || burn.kind === 'unknown') return burn;
  if (request.operation === 'authorization') return fencedAuthorization(api, { request, name, burn }, call);
  const found = await lookUpFollowUp(api, request, call);
  return found.kind === 'not_found' && burn.kind !== 'ours' ? unproven(burn) : found;
}

type Burn =
  /** The lost request is refused if it ever arrives, for as long as Stripe keeps the key: a day. */
  | { readonly kind: 'ours' }
  /** It was taken up, or runs now: only an effect that is read proves anything. */
  | { readonly kind: 'taken'; readonly detail: string };

/** The parameters of a burn. */
export const burnOf = (reference: string): FormFields => [['metadata[burnt]', reference]];
/** The parameters of a fence's cancellation. */
export const ENDING: FormFields = [['cancellation_reason', FENCED], EXPANDED];

/**
 * A POST that changes nothing but a note, under the key of the lost operation: Stripe refuses the second use of a key
 * with other parameters (docs.stripe.com/api/idempotent_requests).
 */
async function burnt(
  api: Api,
  name: string,
  reference: string,
  call: Call,
): Promise<Burn | Extract<LookUp, { readonly kind: 'unknown' | 'unreachable' }>> {
  const told = await api.ask(
    {
      method: 'POST',
      path: pathOf(name),
      key: reference,
      form: burnOf(reference),
      shape: PaymentIntent,
    },
    call,
  );
  if (told.kind === 'told') return told.value.id === name ? { kind: 'ours' } : { kind: 'taken', detail: told.detail };
  if (told.kind !== 'error') return unreadBy(told);
  const { status, error, detail, isReplayed } = told;
  // the saved answer of an earlier burn: the key is ours, whatever became of the note
  if (isReplayed && error.type !== 'idempotency_error') return { kind: 'ours' };
  const isBusy = status === 409 || (status === 429 && error.code === 'lock_timeout');
  return status === 400 || isBusy ? { kind: 'taken', detail } : unreadBy(told);
}

/** A key that the lost operation has used, and no effect: it may run, or it was refused. */
const unproven = ({ detail }: Extract<Burn, { readonly kind: 'taken' }>): Unknown => ({
  kind: 'unknown',
  detail: `its key was used, and no effect of it is there: ${detail}`,
});

interface ToFence {
  readonly request: AuthorizationRequest;
  readonly name: string;
  readonly burn: Burn;
}

async function fencedAuthorization(
  api: Api,
  { request, name, burn }: ToFence,
  call: Call,
): Promise<LookUp | TakenBack> {
  const told = await readIntent(api, name, call);
  if (told.kind !== 'told') return unreadBy(told);
  const state = authorizationOf(told.value, request, told.detail);
  if (state.kind === 'taken_back') return state.released;
  const isOver = told.value.status === 'canceled';
  switch (state.kind) {
    case 'unconfirmed': {
      if (isOver) return { kind: 'not_found' };
      if (burn.kind !== 'ours') return unproven(burn);
      // The burnt key is the proof for as long as Stripe keeps it, a day: what is canceled stays so.
      const ended = await end(api, name, call);
      return ended.kind === 'ended' ? { kind: 'not_found' } : ended;
    }
    case 'declined':
    case 'requires_action': {
      // Both can be confirmed once more, by a page that has the client secret.
      if (isOver) return state;
      const ended = await end(api, name, call);
      if (ended.kind !== 'ended' || state.kind !== 'declined') return ended.kind === 'ended' ? state : ended;
      const { fence: _owed, ...final } = state;
      return final;
    }
    default:
      return state;
  }
}

/**
 * Cancels it, without a key: a saved fault would be answered for a day, and a second cancellation does nothing. The
 * answer shows a success that came between the read and this: that one is taken back, and said to be.
 */
async function end(
  api: Api,
  name: string,
  call: Call,
): Promise<{ readonly kind: 'ended' } | TakenBack | Extract<LookUp, { readonly kind: 'unknown' | 'unreachable' }>> {
  const told = await api.ask(
    {
      method: 'POST',
      path: `${pathOf(name)}/cancel`,
      form: ENDING,
      shape: PaymentIntent,
    },
    call,
  );
  if (told.kind === 'error' && told.status === 400) return { kind: 'unknown', detail: told.detail };
  if (told.kind !== 'told') return { kind: 'unreachable', detail: told.detail };
  const { value, detail } = told;
  const charge = value.latest_charge;
  if (value.id !== name || value.status !== 'canceled' || typeof charge === 'string')
    return { kind: 'unknown', detail: `it does not say what was canceled: ${detail}` };
  if (charge == null || !isSuccess(charge)) return { kind: 'ended' };
  return releasedOf(value, charge) ?? { kind: 'unknown', detail: `what was released has a fraction: ${detail}` };
}
