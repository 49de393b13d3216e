// Light or dark, as the reader chose here or in the dashboard, otherwise as the browser prefers.

/** The dashboard (Mantine) stores the choice under this name, so one choice applies to both. */
const KEY = 'mantine-color-scheme-value';

export type Scheme = 'light' | 'dark';

const isScheme = (value: string | null): value is Scheme => value === 'light' || value === 'dark';

/** The choice, or undefined if the reader made none or the browser stores nothing. */
function chosen(): Scheme | undefined {
  try {
    const value = localStorage.getItem(KEY);
    return isScheme(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const currentScheme = (): Scheme =>
  chosen() ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

export function showScheme(): void {
  const scheme = chosen();
  if (scheme === undefined) delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = scheme;
}

export function chooseScheme(scheme: Scheme): void {
  try {
    localStorage.setItem(KEY, scheme);
  } catch {
    // Not stored: the choice applies to this page.
  }
  document.documentElement.dataset['theme'] = scheme;
  document.dispatchEvent(new CustomEvent('scheme', { detail: scheme }));
}
