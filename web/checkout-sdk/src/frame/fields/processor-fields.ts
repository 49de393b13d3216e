// A processor's own fields, which take the card in place of ours (contract §2).
import type { OwnFields, Session } from '../pay/answers.ts';
import type { Entry } from '../view/card-fields.ts';
import { h } from '../view/dom.ts';
import type { Language } from '../words/language.ts';

/** What the fields are shown for, and how. */
export interface Offered {
  /** Minor units, above 0. */
  readonly amount: number;
  readonly currencyCode: string;
  /** ISO 639-1: one of the frame's languages. */
  readonly lang: string;
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
 * does not take the card · `unreachable`: it did not answer.
 */
export type MadeToken = { readonly type: string; readonly token: string } | 'incomplete' | 'refused' | 'unreachable';

export interface MountedFields {
  /** Another amount, language or look. */
  show(offered: Offered): void;
  /** What was entered, as a token. Rejects for faults of the network. */
  token(): Promise<MadeToken>;
  setDisabled(disabled: boolean): void;
  /** Forgets the card. */
  clear(): void;
}

/** Resolves when the fields can be filled in. Rejects where the processor's script or fields do not load. */
export type MountFields = (place: HTMLElement, fields: OwnFields, offered: Offered) => Promise<MountedFields>;

/** A module for each processor that has fields; loaded where a session names it. */
const MODULES: { readonly [processor: string]: () => Promise<{ readonly mountFields: MountFields }> } = {
  stripe: () => import('./stripe.ts'),
};

export class ProcessorFields implements Entry {
  readonly element = h('div', { class: 'own-fields' });
  readonly own: OwnFields;
  #mounting: Promise<void> | undefined;
  #mounted: MountedFields | undefined;
  #offered: Offered | undefined;
  #isDisabled = false;

  constructor(own: OwnFields) {
    this.own = own;
  }

  /** Resolves when they can be filled in, at once while there is nothing to pay; rejects where they do not load. */
  get ready(): Promise<void> {
    return this.#mounting ?? Promise.resolve();
  }

  /** Mounts them as soon as there is something to pay. */
  show({ amount, currencyCode }: Session, { lang }: Language): void {
    if (amount === undefined || amount < 1 || currencyCode === undefined) return;
    this.#offered = { amount, currencyCode, lang, look: lookOf(document.documentElement) };
    this.#mounted?.show(this.#offered);
    this.#mounting ??= this.#mount(this.#offered);
  }

  async #mount(offered: Offered): Promise<void> {
    const { processor } = this.own;
    const load = Object.hasOwn(MODULES, processor) ? MODULES[processor] : undefined;
    if (load === undefined) throw new Error(`This version of the checkout does not have the fields of ${processor}.`);
    const { mountFields } = await load();
    const mounted = await mountFields(this.element, this.own, offered);
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

  token(): Promise<MadeToken> {
    return this.#mounted?.token().catch(() => 'unreachable' as const) ?? Promise.resolve('unreachable');
  }

  setDisabled(disabled: boolean): void {
    this.#isDisabled = disabled;
    this.#mounted?.setDisabled(disabled);
  }

  clear(): void {
    this.#mounted?.clear();
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
