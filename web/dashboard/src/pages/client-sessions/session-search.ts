// The filters and the order of the client sessions, in the URL under the API's own names.
const NAMES = ['order_id', 'customer_id', 'status', 'derived_status', 'from_date', 'to_date', 'sort'] as const;

export type SessionSearch = { readonly [Name in (typeof NAMES)[number]]?: string };

/** What of a URL's search is ours; anything else is dropped. */
export function sessionSearch(search: Record<string, unknown>): SessionSearch {
  const found = NAMES.flatMap((name) => {
    const value = search[name];
    const isKept = name === 'sort' ? value === 'oldest' : typeof value === 'string' && value !== '';
    return isKept ? [[name, String(value)] as const] : [];
  });
  return Object.fromEntries(found);
}
