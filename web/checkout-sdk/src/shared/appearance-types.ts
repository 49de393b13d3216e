// The named values by which a merchant styles the checkout.

/** CSS values. Colours: hex, rgb(), hsl(), oklch() or a name. Lengths: px, rem or em. */
export interface AppearanceVariables {
  /** The pay button, focus and selection. */
  readonly colorPrimary?: string;
  /** Text on colorPrimary; by default black or white, whichever has more contrast. */
  readonly colorOnPrimary?: string;
  /** A ground of its own, with room around the fields; by default the frame is transparent. */
  readonly colorBackground?: string;
  /** The ground of fields and rows. */
  readonly colorField?: string;
  readonly colorText?: string;
  readonly colorTextMuted?: string;
  readonly colorBorder?: string;
  readonly colorDanger?: string;
  readonly colorSuccess?: string;
  /** Fonts of the shopper's device: the frame loads none. */
  readonly fontFamily?: string;
  /** 14px to 22px. Fields have at least 16px, below which phones zoom in. */
  readonly fontSize?: string;
  /** 0px to 32px. */
  readonly borderRadius?: string;
}

export interface Appearance {
  /** `auto`, the default, follows the shopper's system. */
  readonly theme?: 'light' | 'dark' | 'auto';
  readonly variables?: AppearanceVariables;
}
