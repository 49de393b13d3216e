// Form-encoded requests, as Stripe reads them: `a[b]=c`, `a[]=c`.

/** The parameters of a request, by their whole names; undefined ones are left out. */
export type Form = readonly (readonly [name: string, value: string | number | boolean | undefined])[];

export const encodeForm = (form: Form): string =>
  form
    .flatMap(([name, value]) => (value === undefined ? [] : [`${encodeName(name)}=${encodeURIComponent(value)}`]))
    .join('&');

/** Brackets stand as they are: Stripe takes them either way, and people read its logs. */
const encodeName = (name: string): string => encodeURIComponent(name).replaceAll('%5B', '[').replaceAll('%5D', ']');
