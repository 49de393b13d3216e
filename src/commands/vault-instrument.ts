// Vaulting: the instrument's own stream decides which customer may have it, the customer's wallet whether the card is new there.
import { z } from 'zod';
import { addInstrument, makeDefault, removeInstrument } from '../domain/customer-wallet/decide.ts';
import { instrumentOf, tokenOfCard } from '../domain/customer-wallet/state.ts';
import { type Rejection, reject } from '../domain/decider.ts';
import { confirmVault, deleteInstrument, mergeInstrument, requestVault } from '../domain/payment-instrument/decide.ts';
import type { PaymentInstrument, UsableInstrument } from '../domain/payment-instrument/state.ts';
import { identifier, shortText } from '../domain/text.ts';
import type { Context } from '../journal/context.ts';
import { transact } from '../journal/transact.ts';
import type { Answer, Caller } from './caller.ts';
import type { House } from './house.ts';
import { type InstrumentView, viewInstrument } from './instrument-view.ts';
import type { Worked } from './operation.ts';

export const VaultInstrument = z
  .strictObject({ customerId: identifier, description: shortText.optional() })
  .meta({ id: 'VaultPaymentInstrument' });

interface Vaulting {
  readonly customerId: string;
  readonly description?: string;
  /** The payment that holds the single-use token and vaults it on success. */
  readonly paymentId?: string;
}

/** One stream a customer; the name tells nobody who that is. */
export const walletIdOf = ({ storeKey }: House, accountId: string, customerId: string): string =>
  storeKey.name('customer-wallet', `${accountId}\n${customerId}`);

export const vaultInstrument =
  (house: House) =>
  (token: string, { customerId, description }: z.output<typeof VaultInstrument>, caller: Caller): Promise<Answer<InstrumentView>> =>
    changeInstrument(house, 'vault-instrument', token, caller, async (context) => {
      const vaulting = { customerId, ...(description !== undefined && { description }) };
      const vaulted = await vaultFor(house, token, vaulting, context);
      return vaulted.kind === 'rejected' ? vaulted : vaulted.id;
    });

/**
 * Vaults a token for a customer, in three steps that each may be repeated; answers the token that the card is known by
 * there, which is another one when the customer has the card already.
 */
export async function vaultFor(
  house: House,
  token: string,
  { customerId, description, paymentId }: Vaulting,
  context: Context,
): Promise<{ readonly kind: 'vaulted'; readonly id: string } | Rejection> {
  const walletId = walletIdOf(house, context.accountId, customerId);
  const at = context.at;
  const requested = await transact(
    house.instruments,
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
  return finishVaulting(house, token, instrument, context);
}

/** The second and third step, for an instrument whose vaulting was requested: also what a crash left undone. */
export async function finishVaulting(
  house: House,
  token: string,
  { vault, accountId, processor, processorToken, paymentMethodType, paymentMethodData, fingerprint, createdAt }: UsableInstrument,
  context: Context,
): Promise<{ readonly kind: 'vaulted'; readonly id: string } | Rejection> {
  if (vault === undefined) return reject('NotFound', 'There is no such payment instrument.');
  const { walletId, customerId, description } = vault;
  const entry = {
    token,
    accountId,
    customerId,
    processor,
    processorToken,
    paymentMethodType,
    paymentMethodData,
    fingerprint,
    createdAt,
    addedAt: context.at,
    ...(description !== undefined && { description }),
  };
  const added = await transact(house.wallets, walletId, context, addInstrument(entry));
  if (added.kind === 'rejected') return added;
  const id = instrumentOf(added.folded.state, token) === undefined ? (tokenOfCard(added.folded.state, fingerprint) ?? token) : token;
  const done = await transact(
    house.instruments,
    token,
    context,
    id === token ? confirmVault({ vaultedAt: context.at }) : mergeInstrument({ into: id }),
  );
  return done.kind === 'rejected' ? done : { kind: 'vaulted', id };
}

export const makeInstrumentDefault =
  (house: House) =>
  (token: string, caller: Caller): Promise<Answer<InstrumentView>> =>
    changeInstrument(house, 'make-instrument-default', token, caller, async (context, { vault }) => {
      if (vault === undefined) return reject('InvalidPaymentInstrumentToken', 'Only a vaulted payment instrument can be the default.');
      const made = await transact(house.wallets, vault.walletId, context, makeDefault(token));
      return made.kind === 'rejected' ? made : token;
    });

export const deletePaymentInstrument =
  (house: House) =>
  (token: string, caller: Caller): Promise<Answer<InstrumentView>> =>
    changeInstrument(house, 'delete-instrument', token, caller, async (context, { vault }) => {
      // The instrument first: from then on no payment takes it, whatever happens to the wallet's step.
      const deleted = await transact(house.instruments, token, context, deleteInstrument({ accountId: context.accountId, at: context.at }));
      if (deleted.kind === 'rejected') return deleted;
      if (vault !== undefined) {
        const removed = await transact(house.wallets, vault.walletId, context, removeInstrument({ token, deletedAt: context.at }));
        if (removed.kind === 'rejected') return removed;
      }
      return token;
    });

/** Every step is decided by state, so a repeated operation finds nothing left to do and answers the instrument as it is. */
async function changeInstrument(
  house: House,
  name: string,
  token: string,
  caller: Caller,
  steps: (context: Context, instrument: UsableInstrument) => Promise<string | Rejection>,
): Promise<Answer<InstrumentView>> {
  const known = (state: PaymentInstrument): UsableInstrument | undefined =>
    state.status !== 'absent' && state.accountId === caller.accountId ? state : undefined;
  const instrument = known((await house.instruments.current(token)).state);
  if (instrument === undefined) return reject('NotFound', 'There is no such payment instrument.');
  return house.operations.once(caller, {
    name,
    target: house.instruments,
    resource: { id: token },
    work: async ({ context }): Promise<Worked<Answer<InstrumentView>>> => {
      const before = await versionOf(house, token);
      const id = await steps(context, instrument);
      if (typeof id !== 'string') return { answer: id, appended: false };
      return { answer: await viewInstrument(house, id), appended: (await versionOf(house, token)) !== before };
    },
    replay: async () => viewInstrument(house, token),
  });
}

const versionOf = async (house: House, token: string): Promise<number> => (await house.instruments.load(token)).head.revision;
