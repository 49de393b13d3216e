// The filter of the client sessions, in the URL under the API's own name.
export interface SessionSearch {
  readonly order_id?: string;
}

export const sessionSearch = ({ order_id }: Record<string, unknown>): SessionSearch =>
  typeof order_id === 'string' && order_id !== '' ? { order_id } : {};
