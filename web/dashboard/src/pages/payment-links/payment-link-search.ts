// What the address of the payment links says: whether the form for a new one is open.
export interface PaymentLinkSearch {
  readonly create?: string;
}

export const paymentLinkSearch = ({ create }: Record<string, unknown>): PaymentLinkSearch =>
  create === 'yes' ? { create } : {};
