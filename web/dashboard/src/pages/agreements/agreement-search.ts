// The filters of the agreements, in the URL under the API's own names.
export const AGREEMENT_STATUSES = [
  'PENDING',
  'ACTIVE',
  'PAUSED',
  'SUSPENDED',
  'ENDED',
  'CANCELLED',
  'REVOKED',
  'FAILED',
] as const;
export type AgreementStatus = (typeof AGREEMENT_STATUSES)[number];

export interface AgreementSearch {
  readonly status?: AgreementStatus;
  readonly customer_id?: string;
}

/** Anything else in the address is left out. */
export function agreementSearch({ status, customer_id }: Record<string, unknown>): AgreementSearch {
  const known = AGREEMENT_STATUSES.find((one) => one === status);
  return {
    ...(known !== undefined && { status: known }),
    ...(typeof customer_id === 'string' && customer_id !== '' && { customer_id }),
  };
}
