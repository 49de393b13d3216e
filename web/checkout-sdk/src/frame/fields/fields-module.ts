// What the module of a processor's own fields has, and what the frame gives to it (contract §3).
import type { MethodName } from '../methods.ts';
import type { OwnFields } from '../pay/answers.ts';

/** What the fields are shown for, and how. */
export interface Offered {
  /** Minor units, above 0. */
  readonly amount: number;
  readonly currencyCode: string;
  /** ISO 639-1: one of the frame's languages. */
  readonly lang: string;
  /** True if the session's customer keeps what it is paid with, unless a box says otherwise. */
  readonly keeps: boolean;
  readonly look: Look;
}

/** The frame's own colours, font and sizes as a browser computes them, so that the fields look like the rest. */
export interface Look {
  readonly isDark: boolean;
  readonly primary: string;
  readonly field: string;
  readonly text: string;
  readonly muted: string;
  readonly border: string;
  readonly danger: string;
  readonly font: string;
  readonly size: string;
  readonly radius: string;
}

/**
 * A token, and the fields' own word for it · `incomplete`: the fields show what is wrong · `refused`: the processor
 * does not take it · `unreachable`: it did not answer.
 */
export type MadeToken = { readonly type: string; readonly token: string } | 'incomplete' | 'refused' | 'unreachable';

export interface MountedFields {
  /** Another amount, language or look. */
  show(offered: Offered): void;
  /** What was entered, as a token. `keeps`: the customer keeps it. Rejects for faults of the network. */
  token(keeps: boolean): Promise<MadeToken>;
  setDisabled(disabled: boolean): void;
  /** Forgets what was entered. */
  clear(): void;
}

/** Resolves when the fields can be filled in. Rejects where the processor's script or fields do not load. */
type MountFields = (
  place: HTMLElement,
  fields: OwnFields,
  method: MethodName,
  offered: Offered,
) => Promise<MountedFields>;

/** The wallets whose buttons are shown, and their presses. */
export interface WalletPress {
  /** False while nothing can be paid: the wallet then does not open. */
  mayOpen(): boolean;
  /** The shopper has agreed in the wallet. `token` makes the token of its card, and never rejects. */
  agreed(wallet: MethodName, token: () => Promise<MadeToken>): void;
  /** True if the browser has at least one of the wallets. */
  available(isAny: boolean): void;
}
export interface MountedWallets {
  show(offered: Offered): void;
}
type MountWallets = (
  place: HTMLElement,
  fields: OwnFields,
  offered: Offered,
  press: WalletPress,
) => Promise<MountedWallets>;

export interface FieldsModule {
  readonly mountFields: MountFields;
  readonly mountWallets: MountWallets;
}
