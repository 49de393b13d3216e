// The address of an endpoint's page: which of its deliveries are listed, and the one that is open.
export const DELIVERY_STATUSES = ['failed', 'retrying', 'waiting', 'delivered'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface DeliverySearch {
  readonly status?: DeliveryStatus;
  readonly type?: string;
  readonly payment_id?: string;
  /** When the messages were queued: the beginning and the end of a range of days. */
  readonly from_date?: string;
  readonly to_date?: string;
  /** The delivery whose drawer is open. */
  readonly delivery?: string;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function timeOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : text;
}

/** Anything else in the address is left out. */
export function deliverySearch(search: Readonly<Record<string, unknown>>): DeliverySearch {
  const status = DELIVERY_STATUSES.find((one) => one === search['status']);
  const [type, paymentId, from, to, delivery] = [
    textOf(search['type']),
    textOf(search['payment_id']),
    timeOf(search['from_date']),
    timeOf(search['to_date']),
    textOf(search['delivery']),
  ];
  return {
    ...(status !== undefined && { status }),
    ...(type !== undefined && { type }),
    ...(paymentId !== undefined && { payment_id: paymentId }),
    ...(from !== undefined && { from_date: from }),
    ...(to !== undefined && { to_date: to }),
    ...(delivery !== undefined && { delivery }),
  };
}
