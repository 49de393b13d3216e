// Changes of an instrument in steps over two streams: POST /payment-instruments/{token}/default and DELETE
// /payment-instruments/{token}.
import { makeDefault, removeInstrument } from '../../domain/customer-wallet.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { deleteInstrument } from '../../domain/payment-instrument/decide.ts';
import type { PaymentInstrument, UsableInstrument } from '../../domain/payment-instrument/state.ts';
import type { Context } from '../../journal/context.ts';
import type { Folded } from '../../journal/fold.ts';
import { contextAfter, transact } from '../../journal/transact.ts';
import type { Answer, Caller } from '../caller.ts';
import { lastEventOf } from '../effect.ts';
import { changeOnce, replayed } from '../idempotency.ts';
import { asVaulted, type InstrumentView, viewOf } from './instrument-view.ts';
import type { ChangeNeeds } from './needs.ts';

interface InstrumentChange {
  /** kebab-case */
  readonly name: string;
  /** Each decided by state, so that all of them may be repeated. */
  readonly steps: (context: Context) => Promise<Answer<InstrumentView>>;
  /**
   * The first answer again, from the instrument as the operation's last event left it; undefined if steps are
   * missing.
   */
  readonly asLeft: (
    left: Folded<PaymentInstrument> & { readonly state: UsableInstrument },
    context: Context,
  ) => Promise<Answer<InstrumentView> | undefined>;
}

/** Runs the steps once for a key; a retry finishes steps that a crash left undone. */
export async function changeInstrument(
  needs: ChangeNeeds,
  token: string,
  caller: Caller,
  { name, steps, asLeft }: InstrumentChange,
): Promise<Answer<InstrumentView>> {
  const instrument = await ownInstrument(needs, token, caller);
  if ('kind' in instrument) return instrument;
  const { instruments } = needs;
  using operation = await needs.idempotency.open(caller, name);
  const begun = await operation.begin({ streams: instruments, resource: { id: token } });
  if (begun.kind === 'rejected') return begun;
  const { context, how } = begun;
  if (begun.kind === 'repeated') {
    const folded = await instruments.at(token, begun.revision);
    const { state } = folded;
    const left = state.status === 'absent' ? undefined : await asLeft({ ...folded, state }, context);
    return replayed(left ?? (await steps(context)));
  }
  const answer = await steps(context);
  if (answer.kind === 'rejected' || how.onceAfter === undefined) return operation.end(begun, answer, 'nothing');
  // Another node may have made the steps under the same key.
  const last = await lastEventOf(instruments, token, how.onceAfter, context.operationId);
  return operation.end(begun, answer, last === undefined ? 'nothing' : 'appended');
}

export async function makeInstrumentDefault(
  needs: ChangeNeeds,
  token: string,
  caller: Caller,
): Promise<Answer<InstrumentView>> {
  const instrument = await ownInstrument(needs, token, caller);
  if ('kind' in instrument) return instrument;
  const { vault } = instrument;
  if (vault === undefined)
    return reject('InvalidPaymentInstrumentToken', 'Only a vaulted payment instrument can be the default.');
  using operation = await needs.idempotency.open(caller, 'make-instrument-default');
  // the default is the wallet's alone
  const target = { streams: needs.wallets, resource: { id: vault.walletId } };
  const made = await changeOnce(operation, target, () => makeDefault(token));
  if (made.kind === 'rejected') return made;
  const view = viewOf(token, await asVaulted(needs, token), made.folded);
  return made.replayed === true ? replayed(view) : view;
}

export const deletePaymentInstrument = (
  needs: ChangeNeeds,
  token: string,
  caller: Caller,
): Promise<Answer<InstrumentView>> =>
  changeInstrument(needs, token, caller, {
    name: 'delete-instrument',
    async steps(context) {
      // The instrument first: from then on no payment takes it, even if the wallet's step fails.
      const { accountId, at } = context;
      const deleted = await transact(needs.instruments, token, context, deleteInstrument({ accountId, at }));
      if (deleted.kind === 'rejected') return deleted;
      const { state } = deleted.folded;
      if (state.status === 'absent' || state.vault === undefined) return viewOf(token, deleted.folded, undefined);
      const { walletId } = state.vault;
      const removal = removeInstrument({ token, deletedAt: state.deletedAt ?? at });
      const removed = await transact(needs.wallets, walletId, contextAfter(context, deleted), removal);
      return removed.kind === 'rejected' ? removed : viewOf(token, deleted.folded, removed.folded);
    },
    async asLeft(left, { operationId }) {
      const { vault } = left.state;
      if (vault === undefined) return viewOf(token, left, undefined);
      const removal = await lastEventOf(needs.wallets, vault.walletId, -1, operationId);
      return removal === undefined ? undefined : viewOf(token, left, await needs.wallets.at(vault.walletId, removal));
    },
  });

async function ownInstrument(
  needs: ChangeNeeds,
  token: string,
  { accountId }: Caller,
): Promise<UsableInstrument | Rejection> {
  const { state } = await needs.instruments.current(token);
  return state.status !== 'absent' && state.accountId === accountId
    ? state
    : reject('NotFound', 'There is no such payment instrument.');
}
