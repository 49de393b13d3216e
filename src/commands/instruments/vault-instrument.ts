// Vaulting: the instrument's own stream decides its customer, and the customer's wallet decides whether the card is new
// there.
import { z } from 'zod';
import {
  addInstrument,
  type CustomerWallet,
  expiresLater,
  instrumentOf,
  removeInstrument,
  tokenOfCard,
} from '../../domain/customer-wallet.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { addTokens, confirmVault, mergeInstrument, requestVault } from '../../domain/payment-instrument/decide.ts';
import { type PaymentInstrument, tokensOf, type UsableInstrument } from '../../domain/payment-instrument/state.ts';
import type { Context } from '../../journal/context.ts';
import type { Folded } from '../../journal/fold.ts';
import { contextAfter, transact } from '../../journal/transact.ts';
import type { StoreKey } from '../../secrets.ts';
import type { Answer, Caller } from '../caller.ts';
import { aside } from '../effect.ts';
import { identifier, shortText } from '../fields/text.ts';
import { changeInstrument } from './change-instrument.ts';
import { asVaulted, type InstrumentView, viewOf } from './instrument-view.ts';
import type { ChangeNeeds, VaultingNeeds } from './needs.ts';

export const VaultInstrument = z
  .strictObject({ customerId: identifier, description: shortText.optional() })
  .meta({ id: 'VaultPaymentInstrument' });

interface Vaulting {
  readonly customerId: string;
  readonly description?: string;
  /** The payment that holds the single-use token and vaults it on success. */
  readonly paymentId?: string;
}

/** One stream a customer; its name does not tell the customer's id. */
export const walletIdOf = (storeKey: StoreKey, accountId: string, customerId: string): string =>
  storeKey.name('customer-wallet', `${accountId}\n${customerId}`);

/** The token under which a customer has the card now, and both streams as the vaulting left them. */
interface Vaulted {
  readonly kind: 'vaulted';
  readonly id: string;
  readonly instrument: Folded<PaymentInstrument>;
  readonly wallet: Folded<CustomerWallet>;
}

export const vaultInstrument = (
  needs: ChangeNeeds,
  token: string,
  { customerId, description }: z.output<typeof VaultInstrument>,
  caller: Caller,
): Promise<Answer<InstrumentView>> =>
  changeInstrument(needs, token, caller, {
    name: 'vault-instrument',
    async steps(context) {
      const vaulting = { customerId, ...(description !== undefined && { description }) };
      const vaulted = await vaultFor(needs, token, vaulting, context);
      if (vaulted.kind === 'rejected') return vaulted;
      const { id, instrument, wallet } = vaulted;
      return viewOf(id, instrument, wallet);
    },
    async asLeft(folded) {
      const { state } = folded;
      // It was never answered: this call finishes it.
      if (state.status === 'vaulting' || state.vault?.walletRevision === undefined) return undefined;
      const { walletId, walletRevision } = state.vault;
      const wallet = await needs.wallets.at(walletId, walletRevision);
      return state.into === undefined
        ? viewOf(token, folded, wallet)
        : viewOf(state.into, await asVaulted(needs, state.into), wallet);
    },
  });

/**
 * Vaults a token for a customer, in three steps that each may be repeated; answers the card's token
 * there, which is another token when the customer has the card already.
 */
export async function vaultFor(
  needs: VaultingNeeds,
  token: string,
  { customerId, description, paymentId }: Vaulting,
  context: Context,
): Promise<Vaulted | Rejection> {
  const walletId = walletIdOf(needs.storeKey, context.accountId, customerId);
  const at = context.at;
  const requested = await transact(
    needs.instruments,
    token,
    context,
    requestVault({
      accountId: context.accountId,
      customerId,
      walletId,
      at,
      ...(description !== undefined && { description }),
      ...(paymentId !== undefined && { paymentId }),
    }),
  );
  if (requested.kind === 'rejected') return requested;
  const instrument = requested.folded.state;
  if (instrument.status === 'absent') return reject('NotFound', 'There is no such payment instrument.');
  if (instrument.into !== undefined) return mergedBefore(needs, instrument.into, walletId);
  return finishVaulting(needs, token, instrument, contextAfter(context, requested));
}

/** The second and third step, for an instrument whose vaulting was requested: also steps that a crash left undone. */
export async function finishVaulting(
  needs: VaultingNeeds,
  token: string,
  instrument: UsableInstrument,
  context: Context,
): Promise<Vaulted | Rejection> {
  const {
    vault,
    accountId,
    processor,
    connectionId,
    processorToken,
    paymentMethodType,
    paymentMethodData,
    fingerprint,
    createdAt,
  } = instrument;
  if (vault === undefined) return reject('NotFound', 'There is no such payment instrument.');
  const { walletId, customerId, description } = vault;
  const entry = {
    token,
    accountId,
    customerId,
    processor,
    connectionId,
    processorToken,
    paymentMethodType,
    paymentMethodData,
    fingerprint,
    createdAt,
    addedAt: context.at,
    ...(description !== undefined && { description }),
  };
  const added = await transact(needs.wallets, walletId, context, addInstrument(entry, instrument.otherTokens));
  if (added.kind === 'rejected') return added;
  const wallet = added.folded;
  const after = contextAfter(context, added, 0);
  const answered = { vaultedAt: context.at, walletRevision: wallet.head.revision };
  const into = instrumentOf(wallet.state, token) === undefined ? tokenOfCard(wallet.state, fingerprint) : undefined;
  if (into !== undefined) {
    const removed = await removeIfDeleted(needs, into, walletId, answered, context);
    if (removed) return finishVaulting(needs, token, instrument, context);
    await passTokens(needs, instrument, into, wallet.state, aside(context, needs.world));
    return merge(needs, token, into, wallet, after);
  }
  const done = await transact(needs.instruments, token, after, confirmVault(answered));
  if (done.kind === 'rejected') return done;
  const { state } = done.folded;
  if (state.status !== 'deleted') return { kind: 'vaulted', id: token, instrument: done.folded, wallet };
  // It was deleted during the vaulting: the deletion found nothing in the wallet to remove.
  await transact(
    needs.wallets,
    walletId,
    context,
    removeInstrument({ token, deletedAt: state.deletedAt ?? context.at }),
  );
  return reject('InvalidPaymentInstrumentToken', 'The payment instrument is deleted.');
}

/**
 * Gives the kept instrument the tokens that its card got when it was entered again. They are of the expiry that the
 * wallet shows, which may be the newer one: a payment shows the card that it sends, whichever connection takes it.
 */
async function passTokens(
  needs: VaultingNeeds,
  entered: UsableInstrument,
  into: string,
  wallet: CustomerWallet,
  context: Context,
): Promise<void> {
  const kept = instrumentOf(wallet, into);
  if (kept === undefined) return;
  const [shown, given] = [kept.paymentMethodData, entered.paymentMethodData];
  if (expiresLater(shown, given) || expiresLater(given, shown)) return;
  const tokens = tokensOf(entered);
  if (tokens.some(({ connectionId }) => connectionId !== kept.connectionId))
    await transact(needs.instruments, into, context, addTokens(tokens));
}

/**
 * The token in the wallet that has the card may be on its way into it still, which is confirmed here, or out of it:
 * then it is removed, as its deletion would have done, had it come so far. True if it is.
 */
async function removeIfDeleted(
  needs: VaultingNeeds,
  token: string,
  walletId: string,
  answered: Parameters<typeof confirmVault>[0],
  asked: Context,
): Promise<boolean> {
  const context = aside(asked, needs.world);
  const confirmed = await transact(needs.instruments, token, context, confirmVault(answered));
  if (confirmed.kind === 'rejected' || confirmed.folded.state.status !== 'deleted') return false;
  const { deletedAt = context.at } = confirmed.folded.state;
  await transact(needs.wallets, walletId, context, removeInstrument({ token, deletedAt }));
  return true;
}

/** A token that was used up for a card which is still vaulted stands for it; there is no second way into the wallet. */
async function mergedBefore(needs: VaultingNeeds, into: string, walletId: string): Promise<Vaulted | Rejection> {
  const wallet = await needs.wallets.current(walletId);
  return instrumentOf(wallet.state, into)?.deletedAt === undefined
    ? { kind: 'vaulted', id: into, instrument: await asVaulted(needs, into), wallet }
    : reject(
        'InvalidPaymentInstrumentToken',
        'The payment method token is used up, and its vaulted instrument was deleted.',
      );
}

/** Uses the token up: the customer has its card under another one. */
async function merge(
  needs: VaultingNeeds,
  token: string,
  into: string,
  wallet: Folded<CustomerWallet>,
  context: Context,
): Promise<Vaulted | Rejection> {
  const { revision: walletRevision } = wallet.head;
  const merged = await transact(needs.instruments, token, context, mergeInstrument({ into, walletRevision }));
  if (merged.kind === 'rejected') return merged;
  return { kind: 'vaulted', id: into, instrument: await asVaulted(needs, into), wallet };
}
