// The statuses of a dispute, and the types of its rounds, by name (contract §13).

export const disputeStatuses = ['OPEN', 'CHALLENGED', 'ACCEPTED', 'EXPIRED', 'WON', 'LOST', 'PREVENTED'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

export const DISPUTE_STATUS_WORDS: { readonly [S in DisputeStatus]: string } = {
  OPEN: 'The merchant can respond until `challengeRequiredBy`.',
  CHALLENGED: 'The issuer has the evidence, and has not decided.',
  ACCEPTED: 'The merchant accepted the dispute; the customer keeps the money.',
  EXPIRED: 'The deadline passed without a response; the customer keeps the money.',
  WON: 'The merchant keeps the money, unless a later round opens.',
  LOST: 'The customer keeps the money, unless a later round opens.',
  PREVENTED: 'Stopped before it became a chargeback; it accepts no response.',
};

/** True if a processor's text is one of them. */
export const isDisputeStatus = (text: string): text is DisputeStatus =>
  disputeStatuses.some((status) => status === text);

/** From the earliest to the latest: only a later one opens another round. */
export const disputeTypes = ['RETRIEVAL', 'DISPUTE', 'PREARBITRATION', 'APPEAL'] as const;
export type DisputeType = (typeof disputeTypes)[number];

export const DISPUTE_TYPE_WORDS: { readonly [T in DisputeType]: string } = {
  RETRIEVAL: 'An inquiry, before a chargeback.',
  DISPUTE: 'A chargeback.',
  PREARBITRATION: 'The issuer contests a decision for the merchant.',
  APPEAL: 'A decision for the customer is contested.',
};

/** True if the issuer, or the scheme, has still to decide. */
export const isUndecided = (status: DisputeStatus): boolean => status === 'OPEN' || status === 'CHALLENGED';

/** True if the customer has the disputed amount, until a later word says otherwise. */
export const isLost = (status: DisputeStatus): boolean =>
  status === 'ACCEPTED' || status === 'EXPIRED' || status === 'LOST';
