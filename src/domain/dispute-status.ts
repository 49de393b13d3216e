// The statuses of a dispute, and the types of its rounds, by name (contract §4, "Disputes").

export const disputeStatuses = ['OPEN', 'CHALLENGED', 'ACCEPTED', 'EXPIRED', 'WON', 'LOST', 'PREVENTED'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** True if a processor's text is one of them. */
export const isDisputeStatus = (text: string): text is DisputeStatus =>
  disputeStatuses.some((status) => status === text);

/** From the earliest to the latest: only a later one opens another round. */
export const disputeTypes = ['RETRIEVAL', 'DISPUTE', 'PREARBITRATION', 'APPEAL'] as const;
export type DisputeType = (typeof disputeTypes)[number];

/** True if the issuer, or the scheme, has still to decide. */
export const isUndecided = (status: DisputeStatus): boolean => status === 'OPEN' || status === 'CHALLENGED';

/** True if the customer has the disputed amount, until a later word says otherwise. */
export const isLost = (status: DisputeStatus): boolean =>
  status === 'ACCEPTED' || status === 'EXPIRED' || status === 'LOST';
