// What the parts of the form have in common: an entry of a card, the panel of another method, and the choice that is
// read from them.
import type { Card, CardField } from '../card/validate-card.ts';
import type { MadeToken } from '../fields/fields-module.ts';
import type { MethodName } from '../methods.ts';
import type { OwnFields, Session } from '../pay/answers.ts';
import type { GivenMethod } from '../pay/service.ts';
import type { Language } from '../words/language.ts';
import type { CardFault, Words } from '../words/words.ts';

/** Where a card is entered: the frame's fields, or a processor's own. */
export interface Entry {
  readonly element: HTMLElement;
  /** Resolves when it can be filled in; rejects where it cannot be loaded. */
  readonly ready: Promise<void>;
  /** For another session or in another language. */
  show(session: Session, language: Language): void;
  /**
   * What was entered, or undefined if a field is invalid. The errors are then shown, and the first one has the focus.
   */
  read(): Entered | undefined;
  /** Shows an error that the service found; the processor's own fields show their own. */
  readonly showFault?: (field: CardField, fault: CardFault) => void;
  setDisabled(disabled: boolean): void;
  /** Forgets the card. */
  clear(): void;
}
/** A processor's own fields that were filled in. */
export interface FieldsEntry {
  readonly own: OwnFields;
  /** `keeps`: the customer keeps what is entered. */
  token(keeps: boolean): Promise<MadeToken>;
}
type Entered = { readonly card: Card } | { readonly fields: FieldsEntry };

/** What a method needs besides its choice. */
export interface MethodPanel {
  readonly element: HTMLElement;
  speak(words: Words): void;
  /** What the service needs, or undefined if a field is invalid. The first invalid field then has the focus. */
  read(): Chosen | undefined;
  setDisabled(disabled: boolean): void;
  /** Shows that the processor did not accept the account. */
  readonly refuse?: (isTest: boolean) => void;
}

/** A method that was entered in a processor's own fields, or agreed to in a wallet. */
export interface MadeByFields {
  readonly kind: 'made';
  readonly method: MethodName;
  readonly own: OwnFields;
  readonly token: () => Promise<MadeToken>;
}

/** The card or the method that the shopper pays with. */
export type Chosen =
  | { readonly kind: 'method'; readonly method: GivenMethod }
  | MadeByFields
  | { readonly kind: 'saved'; readonly method: MethodName; readonly token: string }
  | {
      readonly kind: 'new';
      readonly entered: Entered;
      /** Undefined: the session has no customer, or the card cannot be saved. */
      readonly save: boolean | undefined;
      /** What the processor's own fields are told. */
      readonly keeps: boolean;
    };
