// A processor's own fields, which take a card or another method in place of ours (contract §3).
import type { MethodName } from '../methods.ts';
import { keepsMethod, type OwnFields, type Session } from '../pay/answers.ts';
import { h } from '../view/dom.ts';
import type { Entry } from '../view/entry.ts';
import type { Language } from '../words/language.ts';
import type {
  FieldsModule,
  Look,
  MadeToken,
  MountedFields,
  MountedWallets,
  Offered,
  WalletPress,
} from './fields-module.ts';

/** A module for each processor that has fields; loaded where a session names it. */
const MODULES: { readonly [processor: string]: () => Promise<FieldsModule> } = {
  stripe: () => import('./stripe.ts'),
};

function moduleOf({ processor }: OwnFields): Promise<FieldsModule> {
  const load = Object.hasOwn(MODULES, processor) ? MODULES[processor] : undefined;
  return load === undefined
    ? Promise.reject(new Error(`This version of the checkout does not have the fields of ${processor}.`))
    : load();
}

/** Undefined while there is nothing to pay. */
function offeredBy(session: Session, { lang }: Language): Offered | undefined {
  const { amount, currencyCode } = session;
  if (amount === undefined || amount < 1 || currencyCode === undefined) return undefined;
  return { amount, currencyCode, lang, keeps: keepsMethod(session), look: lookOf(document.documentElement) };
}

/** The fields of one method. */
export class ProcessorFields implements Entry {
  readonly element = h('div', { class: 'own-fields' });
  readonly own: OwnFields;
  readonly method: MethodName;
  #mounting: Promise<void> | undefined;
  #mounted: MountedFields | undefined;
  #offered: Offered | undefined;
  #isDisabled = false;

  constructor(own: OwnFields, method: MethodName) {
    this.own = own;
    this.method = method;
  }

  /** Resolves when they can be filled in, at once while there is nothing to pay; rejects where they do not load. */
  get ready(): Promise<void> {
    return this.#mounting ?? Promise.resolve();
  }

  show(session: Session, language: Language): void {
    const offered = offeredBy(session, language);
    if (offered === undefined) return;
    this.#offered = offered;
    this.#mounted?.show(offered);
  }

  /** Mounts them, when the method is chosen, as soon as there is something to pay. */
  open(): void {
    if (this.#offered === undefined || this.#mounting !== undefined) return;
    this.#mounting = this.#mount(this.#offered);
    // What failed is tried again by the next press, or when the method is chosen again.
    this.#mounting.catch(() => {
      this.#mounting = undefined;
      this.element.replaceChildren();
    });
  }

  async #mount(offered: Offered): Promise<void> {
    const { mountFields } = await moduleOf(this.own);
    const mounted = await mountFields(this.element, this.own, this.method, offered);
    this.#mounted = mounted;
    // What has changed while they were loaded.
    if (this.#offered !== undefined && this.#offered !== offered) mounted.show(this.#offered);
    if (this.#isDisabled) mounted.setDisabled(true);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#showTheme());
  }

  /** The browser may change the theme while the page is open, and the processor's frame keeps the colours it has. */
  #showTheme(): void {
    if (this.#offered === undefined) return;
    this.#offered = { ...this.#offered, look: lookOf(document.documentElement) };
    this.#mounted?.show(this.#offered);
  }

  read(): { readonly fields: ProcessorFields } {
    return { fields: this };
  }

  /** `keeps`: the customer keeps what is entered. */
  async token(keeps: boolean): Promise<MadeToken> {
    this.open();
    try {
      await this.ready;
      return (await this.#mounted?.token(keeps)) ?? 'unreachable';
    } catch {
      return 'unreachable';
    }
  }

  setDisabled(disabled: boolean): void {
    this.#isDisabled = disabled;
    this.#mounted?.setDisabled(disabled);
  }

  clear(): void {
    this.#mounted?.clear();
  }
}

/** The buttons of the wallets that a processor takes: each opens its wallet, and pays with the card in it. */
export class WalletButtons {
  readonly element = h('div', { class: 'own-wallets', hidden: true });
  readonly #own: OwnFields;
  readonly #press: WalletPress;
  #mounting: Promise<MountedWallets> | undefined;

  constructor(own: OwnFields, press: WalletPress) {
    this.#own = own;
    this.#press = press;
  }

  show(session: Session, language: Language): void {
    const offered = offeredBy(session, language);
    if (offered === undefined) return;
    if (this.#mounting === undefined) {
      // The buttons are measured where they are shown.
      this.element.hidden = false;
      this.#mounting = moduleOf(this.#own).then(({ mountWallets }) =>
        mountWallets(this.element, this.#own, offered, this.#press),
      );
    } else void this.#mounting.then((mounted) => mounted.show(offered)).catch(() => undefined);
    // Without them the other methods remain.
    this.#mounting.catch(() => this.#press.available(false));
  }
}

function lookOf(root: HTMLElement): Look {
  const style = getComputedStyle(root);
  const text = (name: string): string => style.getPropertyValue(name).trim();
  // A custom property is text as it was written: a colour of an element is what the browser makes of it.
  const probe = h('span', { hidden: true });
  document.body.append(probe);
  const color = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const look = {
    isDark: style.colorScheme === 'dark',
    primary: color('--cf-primary'),
    field: color('--cf-field'),
    text: color('--cf-text'),
    muted: color('--cf-muted'),
    border: color('--cf-border'),
    danger: color('--cf-danger'),
    font: text('--cf-font'),
    size: style.fontSize,
    radius: text('--cf-radius'),
  };
  probe.remove();
  return look;
}
