// The search parameters of the page of disputes.
export const DISPUTE_STATUSES = ['OPEN', 'CHALLENGED', 'ACCEPTED', 'EXPIRED', 'WON', 'LOST'] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

export interface DisputeSearch {
  readonly status?: DisputeStatus;
}

/** Anything else in the address is left out. */
export function disputeSearch({ status }: Record<string, unknown>): DisputeSearch {
  const known = DISPUTE_STATUSES.find((one) => one === status);
  return known === undefined ? {} : { status: known };
}
