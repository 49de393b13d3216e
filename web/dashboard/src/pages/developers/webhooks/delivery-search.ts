// The address of an endpoint's page: which of its deliveries are listed, and the one that is open.
export const DELIVERY_STATUSES = ['failed', 'waiting', 'delivered'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface DeliverySearch {
  readonly status?: DeliveryStatus;
  readonly type?: string;
  readonly payment_id?: string;
  /** The delivery whose drawer is open. */
  readonly delivery?: string;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Anything else in the address is left out. */
export function deliverySearch(search: Readonly<Record<string, unknown>>): DeliverySearch {
  const status = DELIVERY_STATUSES.find((one) => one === search['status']);
  const [type, paymentId, delivery] = [
    textOf(search['type']),
    textOf(search['payment_id']),
    textOf(search['delivery']),
  ];
  return {
    ...(status !== undefined && { status }),
    ...(type !== undefined && { type }),
    ...(paymentId !== undefined && { payment_id: paymentId }),
    ...(delivery !== undefined && { delivery }),
  };
}
