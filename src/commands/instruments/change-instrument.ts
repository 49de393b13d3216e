// Changes of an instrument in steps over two streams: POST /payment-instruments/{token}/default and DELETE
// /payment-instruments/{token}.
import { makeDefault, removeInstrument } from '../../domain/customer-wallet/decide.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { deleteInstrument } from '../../domain/payment-instrument/decide.ts';
import type { PaymentInstrument, UsableInstrument } from '../../domain/payment-instrument/state.ts';
import type { Context } from '../../journal/context.ts';
import type { Folded } from '../../journal/fold.ts';
import { contextAfter, transact } from '../../journal/transact.ts';
import type { Answer, Caller } from '../caller.ts';
import { lastEventOf, leftBy, transactFor, type Worked } from '../effect.ts';
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
  return needs.idempotency.once(caller, {
    name,
    target: needs.instruments,
    resource: { id: token },
    async work({ context, how: { onceAfter } }): Promise<Worked<Answer<InstrumentView>>> {
      const answer = await steps(context);
      if (answer.kind === 'rejected' || onceAfter === undefined) return { answer, appended: false };
      // Another node may have made the steps under the same key.
      return {
        answer,
        appended: (await lastEventOf(needs.instruments, token, onceAfter, context.operationId)) !== undefined,
      };
    },
    async replay({ context }, revision) {
      const folded = await needs.instruments.at(token, revision);
      const { state } = folded;
      const left = state.status === 'absent' ? undefined : await asLeft({ ...folded, state }, context);
      return left ?? steps(context);
    },
  });
}

export const makeInstrumentDefault =
  (needs: ChangeNeeds) =>
  async (token: string, caller: Caller): Promise<Answer<InstrumentView>> => {
    const instrument = await ownInstrument(needs, token, caller);
    if ('kind' in instrument) return instrument;
    const { vault } = instrument;
    if (vault === undefined)
      return reject('InvalidPaymentInstrumentToken', 'Only a vaulted payment instrument can be the default.');
    return needs.idempotency.once(caller, {
      name: 'make-instrument-default',
      target: needs.wallets, // the default is the wallet's alone
      resource: { id: vault.walletId },
      async work(effect): Promise<Worked<Answer<InstrumentView>>> {
        const made = await transactFor(effect, needs.wallets, makeDefault(token));
        if (made.kind === 'rejected') return { answer: made, appended: false };
        const wallet = await leftBy(needs.wallets, vault.walletId, made);
        return { answer: viewOf(token, await asVaulted(needs, token), wallet), appended: made.kind !== 'unchanged' };
      },
      replay: async (_operation, revision) =>
        viewOf(token, await asVaulted(needs, token), await needs.wallets.at(vault.walletId, revision)),
    });
  };

export const deletePaymentInstrument =
  (needs: ChangeNeeds) =>
  (token: string, caller: Caller): Promise<Answer<InstrumentView>> =>
    changeInstrument(needs, token, caller, {
      name: 'delete-instrument',
      async steps(context) {
        // The instrument first: from then on no payment takes it, even if the wallet's step fails.
        const { accountId, at } = context;
        const deleted = await transact(needs.instruments, token, context, deleteInstrument({ accountId, at }));
        if (deleted.kind === 'rejected') return deleted;
        const { state } = deleted.folded;
        if (state.status === 'absent' || state.vault === undefined) {
          return viewOf(token, deleted.folded, undefined);
        }
        const removed = await transact(
          needs.wallets,
          state.vault.walletId,
          contextAfter(context, deleted),
          removeInstrument({ token, deletedAt: state.deletedAt ?? at }),
        );
        if (removed.kind === 'rejected') return removed;
        return viewOf(token, deleted.folded, removed.folded);
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
