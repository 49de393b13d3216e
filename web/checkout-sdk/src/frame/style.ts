// The merchant's values as custom properties of the page: single properties by code, never text of a style sheet.
import { validVariables } from '../shared/appearance.ts';
import type { Appearance } from '../shared/appearance-types.ts';

const PROPERTIES = {
  colorPrimary: '--cf-primary',
  colorOnPrimary: '--cf-on-primary',
  colorBackground: '--cf-background',
  colorField: '--cf-field',
  colorText: '--cf-text',
  colorTextMuted: '--cf-muted',
  colorBorder: '--cf-border',
  colorDanger: '--cf-danger',
  colorSuccess: '--cf-success',
  fontFamily: '--cf-font',
  fontSize: '--cf-size',
  borderRadius: '--cf-radius',
} as const;

/** Sets the valid values, and removes those that an earlier appearance had set. */
export function applyAppearance(root: HTMLElement, appearance: Appearance): void {
  root.dataset['theme'] = appearance.theme === 'light' || appearance.theme === 'dark' ? appearance.theme : 'auto';
  for (const property of Object.values(PROPERTIES)) root.style.removeProperty(property);
  for (const [name, value] of validVariables(appearance)) root.style.setProperty(PROPERTIES[name], value);
  root.toggleAttribute('data-ground', root.style.getPropertyValue(PROPERTIES.colorBackground) !== '');
  const { colorPrimary, colorOnPrimary } = appearance.variables ?? {};
  if (colorPrimary !== undefined && colorOnPrimary === undefined) {
    const onPrimary = textOn(root);
    if (onPrimary !== undefined) root.style.setProperty(PROPERTIES.colorOnPrimary, onPrimary);
  }
}

/**
 * Black or white, whichever has more contrast with the primary colour (WCAG 2.2), or undefined if the browser cannot
 * compute it.
 */
function textOn(root: HTMLElement): string | undefined {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (context === null) return undefined;
  context.fillStyle = getComputedStyle(root).getPropertyValue('--cf-primary').trim();
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  const light = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  return 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 ? '#ffffff' : '#000000';
}

const linear = (byte: number): number => {
  const part = byte / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
};
