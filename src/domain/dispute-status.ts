// The statuses of a dispute, by name (contract §4, "Disputes").

export const disputeStatuses = ['OPEN', 'CHALLENGED', 'ACCEPTED', 'EXPIRED', 'WON', 'LOST'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** True if a processor's text is one of them. */
export const isDisputeStatus = (text: string): text is DisputeStatus =>
  disputeStatuses.some((status) => status === text);
