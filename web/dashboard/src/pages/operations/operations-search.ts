// The address of the Operations page: its tab, and the read model whose rebuild is shown.
const OPERATIONS_TABS = ['projections', 'parked', 'streams', 'nodes'] as const;
type OperationsTab = (typeof OPERATIONS_TABS)[number];

interface OperationsSearch {
  readonly tab?: OperationsTab;
  /** The name of a read model: its rebuild's dialog is open. */
  readonly rebuild?: string;
  /** The stream that is shown: a name, or the id of its subject. */
  readonly stream?: string;
  /** The event at which the stream is shown. */
  readonly revision?: number;
}

/** Anything else in the address is left out. */
export function operationsSearch({
  tab,
  rebuild,
  stream,
  revision,
}: Readonly<Record<string, unknown>>): OperationsSearch {
  const known = OPERATIONS_TABS.find((one) => one === tab);
  // In the address it is text; a link in a page hands the number over.
  const at = typeof revision === 'string' && /^\d{1,15}$/.test(revision) ? Number(revision) : revision;
  return {
    ...(known !== undefined && { tab: known }),
    ...(typeof rebuild === 'string' && { rebuild }),
    ...(typeof stream === 'string' && { stream }),
    ...(typeof at === 'number' && Number.isSafeInteger(at) && at >= 0 && { revision: at }),
  };
}
