// A deadline as text, with its zone: the shopper may read it on another day, and forward it to another country.

/** `December 6, 2026 at 9:45 PM GMT+1`; `ms`: since the epoch. */
export const momentText = (ms: number, locale: string): string =>
  new Intl.DateTimeFormat(locale, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(ms);
