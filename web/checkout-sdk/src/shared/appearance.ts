// How a merchant styles the checkout: a few named values, each held against its own grammar, so that nothing but values
// goes in.

import type { Appearance, AppearanceVariables } from './appearance-types.ts';

const NUMBER = '[-+]?\\d{0,4}(?:\\.\\d{1,6})?(?:%|deg|turn|rad)?';
const COLOR = new RegExp(
  `^(?:#[0-9a-f]{3,8}|[a-z]{3,24}|(?:rgba?|hsla?|oklch|oklab|lch|lab)\\(\\s*${NUMBER}(?:[\\s,/]+${NUMBER}){2,3}\\s*\\))$`,
  'i',
);
const FONT = /^(?:"[\w -]{1,64}"|'[\w -]{1,64}'|[\w-]{1,64}(?: [\w-]{1,64}){0,4})$/;
const FONTS_MAX = 12;
const LENGTH = /^(\d{1,3}(?:\.\d{1,3})?)(px|rem|em)$/;
const PX_OF = { px: 1, rem: 16, em: 16 } as const;

type Name = keyof AppearanceVariables;
type Check = (value: string) => boolean;

const isColor: Check = (value) => COLOR.test(value);
const isFontFamily: Check = (value) => {
  const fonts = value.split(',');
  return fonts.length <= FONTS_MAX && fonts.every((font) => FONT.test(font.trim()));
};
const isLength =
  (least: number, most: number): Check =>
  (value) => {
    const [, digits, unit] = LENGTH.exec(value) ?? [];
    if (unit !== 'px' && unit !== 'rem' && unit !== 'em') return false;
    const px = Number(digits) * PX_OF[unit];
    return px >= least && px <= most;
  };

const CHECKS: { readonly [name in Name]-?: Check } = {
  colorPrimary: isColor,
  colorOnPrimary: isColor,
  colorBackground: isColor,
  colorField: isColor,
  colorText: isColor,
  colorTextMuted: isColor,
  colorBorder: isColor,
  colorDanger: isColor,
  colorSuccess: isColor,
  fontFamily: isFontFamily,
  fontSize: isLength(14, 22),
  borderRadius: isLength(0, 32),
};
const isName = (name: string): name is Name => Object.hasOwn(CHECKS, name);
const THEMES: readonly unknown[] = [undefined, 'light', 'dark', 'auto'];

/** The paths of what an appearance must not hold; empty when all of it can be used. */
export function faultsOfAppearance(appearance: Appearance): readonly string[] {
  const faults = Object.entries(appearance.variables ?? {}).filter(([name, value]) => !isValid(name, value));
  return [
    ...(THEMES.includes(appearance.theme) ? [] : ['appearance.theme']),
    ...faults.map(([name]) => `appearance.variables.${name}`),
  ];
}

/** Names and values that may be written into a style; anything else is left out. */
export const validVariables = (appearance: Appearance): readonly (readonly [Name, string])[] =>
  Object.entries(appearance.variables ?? {}).flatMap(([name, value]) =>
    isName(name) && isValid(name, value) ? [[name, value] as const] : [],
  );

const isValid = (name: string, value: unknown): value is string =>
  typeof value === 'string' && value.length <= 300 && isName(name) && CHECKS[name](value);
