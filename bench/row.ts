// One line of a benchmark's result: the measured figure, its comparison, and the required ratio.
export interface Row {
  readonly what: string;
  readonly measured: number;
  /** The comparison of `measured`, taken in the same run on the same machine. */
  readonly against: number;
  /** measured / against. */
  readonly ratio: number;
  /** The least ratio that passes; `atMost` where less is better. */
  readonly reach: number | { readonly atMost: number };
  /** Of `measured` and `against`, for example `1/s` or `ms`. */
  readonly unit: string;
}

export type Bench = () => Promise<readonly Row[]>;

export const rowOf = (what: string, measured: number, against: number, reach: Row['reach'], unit: string): Row => ({
  what,
  measured,
  against,
  ratio: measured / against,
  reach,
  unit,
});

export const passes = ({ ratio, reach }: Row): boolean =>
  typeof reach === 'number' ? ratio >= reach : ratio <= reach.atMost;
