// Applies the report of a notification to the saved method that it names, and to the agreements that charge it
// (contract §5, contract §14). Each step is decided by state, so that all may be repeated after a crash.
import { closeMethod, renewMethod, withdrawMandate } from '../../domain/agreement/decide.ts';
import type { AgreementEvent } from '../../domain/agreement/events.ts';
import type { Agreement } from '../../domain/agreement/state.ts';
import {
  type CustomerWallet,
  type CustomerWalletEvent,
  closeInWallet,
  renewInstrument,
} from '../../domain/customer-wallet.ts';
import { closeInstrument, updateInstrument } from '../../domain/payment-instrument/decide.ts';
import type { PaymentInstrumentEvent } from '../../domain/payment-instrument/events.ts';
import { cardIn } from '../../domain/payment-instrument/recorded-data.ts';
import type { PaymentInstrument, UsableInstrument } from '../../domain/payment-instrument/state.ts';
import type { Context } from '../../journal/context.ts';
import type { Streams } from '../../journal/streams.ts';
import { type Decide, transact } from '../../journal/transact.ts';
import type { InstrumentNotification } from '../../processors/processor.ts';
import type { StoreKey } from '../../secrets.ts';
import type { ConnectionRoute } from '../connections/connections.ts';

export interface InstrumentWordNeeds {
  readonly instruments: Streams<PaymentInstrument, PaymentInstrumentEvent>;
  readonly wallets: Streams<CustomerWallet, CustomerWalletEvent>;
  readonly agreements: Streams<Agreement, AgreementEvent>;
  readonly storeKey: StoreKey;
  /** The saved method that a processor's token is of; undefined if none is known (yet). Throws StoreUnavailable. */
  readonly methodCalled: (
    accountId: string,
    connectionId: string,
    processorToken: string,
  ) => Promise<string | undefined>;
  /** The agreements that charge a method and are not over. Throws StoreUnavailable. */
  readonly agreementsCharging: (paymentMethodToken: string) => Promise<readonly string[]>;
}

/** A notification with its time, ms: the processor's own, otherwise when it was received. */
type HeardWord = InstrumentNotification & { readonly occurredAt: number };

/** Our token of the method; undefined if it is not known (yet). Throws StoreUnavailable. */
export async function applyToInstrument(
  needs: InstrumentWordNeeds,
  { connectionId, processor }: ConnectionRoute,
  { about, notificationId, occurredAt }: HeardWord,
  context: Context,
): Promise<string | undefined> {
  const { accountId } = context;
  const token = await needs.methodCalled(accountId, connectionId, about.processorToken);
  if (token === undefined) return undefined;
  if ('mandate' in about) {
    const { mandate, status, because } = about;
    if (status === 'inactive') await inAgreements(needs, token, context, withdrawMandate(token, { mandate, because }));
    return token;
  }
  const word = { notificationId, occurredAt };
  const { state: before } = await needs.instruments.current(token);
  if (before.status === 'absent') return undefined;
  const decide =
    about.instrument === 'closed'
      ? closeInstrument({ ...word, closedAt: context.at })
      : updateInstrument({ ...word, card: about.card, fingerprint: fingerprintOf(needs, processor, before, about) });
  const changed = await transact(needs.instruments, token, context, decide, { isFact: true });
  if (changed.kind === 'rejected' || changed.folded.state.status === 'absent') return undefined;
  await changeWallet(needs, token, changed.folded.state, context);
  const { closedAt, toldAt } = changed.folded.state;
  if (closedAt !== undefined) await inAgreements(needs, token, context, closeMethod(token));
  // by the newest word alone: an older one, or one that changed nothing, is about a card that was refused since
  else if (toldAt === occurredAt) await inAgreements(needs, token, context, renewMethod(token));
  return token;
}

/** As tokenization makes it of the processor's own name; a new number without one is another card all the same. */
function fingerprintOf(
  { storeKey }: InstrumentWordNeeds,
  processor: string,
  { accountId, paymentMethodData }: UsableInstrument,
  { card, fingerprint, processorToken }: Extract<InstrumentNotification['about'], { readonly instrument: 'updated' }>,
): string | undefined {
  const { last4Digits = cardIn(paymentMethodData)?.last4Digits } = card;
  const isSame = last4Digits === cardIn(paymentMethodData)?.last4Digits;
  const name = fingerprint ?? (isSame ? undefined : `${processorToken}\n${last4Digits}`);
  return name === undefined
    ? undefined
    : storeKey.fingerprint('card-fingerprint', `${accountId}\n${processor}\n${name}`);
}

/** The customer's wallet shows the method, and payments are made with what it shows. */
async function changeWallet(
  needs: InstrumentWordNeeds,
  token: string,
  { vault, closedAt, paymentMethodData: data, fingerprint, toldAt }: UsableInstrument,
  context: Context,
): Promise<void> {
  if (vault === undefined || toldAt === undefined) return;
  const decide =
    closedAt === undefined ? renewInstrument({ token, data, fingerprint }) : closeInWallet({ token, closedAt });
  await transact(needs.wallets, vault.walletId, context, decide, { isFact: true });
}

async function inAgreements(
  needs: InstrumentWordNeeds,
  token: string,
  context: Context,
  decide: Decide<Agreement, AgreementEvent>,
): Promise<void> {
  for (const id of await needs.agreementsCharging(token))
    await transact(needs.agreements, id, context, decide, { isFact: true });
}
