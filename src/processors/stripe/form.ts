// Form-encoded requests, as Stripe reads them: `a[b]=c`, `a[]=c`.

/** The parameters of a request, by their whole names; undefined ones are left out. */
export type FormFields = readonly (readonly [name: string, value: string | number | boolean | undefined])[];

/** Never throws, even for half of a surrogate pair, for which `encodeURIComponent` does. */
export const encodeForm = (form: FormFields): string =>
  new URLSearchParams(
    form.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] satisfies [string, string]])),
  ).toString();
