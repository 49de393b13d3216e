// A fault: one small plausible defect that a user could meet. The tests have to notice each of them.

/** A change of one source file, whose text has `find` exactly once. */
export interface PlantedFault {
  /** The promise that it breaks. */
  readonly promise: string;
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/**
 * Not to be had as a change of the sources: `brokenIn` breaks a service or an adapter of its own under this name. It
 * counts as noticed where a test that ends with the name finds that one broken.
 */
export interface NamedFault {
  readonly promise: string;
  readonly name: string;
  readonly brokenIn: string;
}

export type Fault = PlantedFault | NamedFault;

export const faultsOf = (
  promise: string,
  faults: readonly (Omit<PlantedFault, 'promise'> | Omit<NamedFault, 'promise'>)[],
): readonly Fault[] => faults.map((one) => ({ promise, ...one }));
