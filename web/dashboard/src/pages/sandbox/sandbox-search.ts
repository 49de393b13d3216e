// The address of the Sandbox page: its tab, and the further sandbox that it is about.
const SANDBOX_TABS = ['cards', 'faults', 'clock', 'ledger', 'diff'] as const;
export type SandboxTab = (typeof SANDBOX_TABS)[number];

interface SandboxSearch {
  readonly tab?: SandboxTab;
  /** The id of its connection; without it, the first sandbox. */
  readonly connection?: string;
}

/** The sandbox that a tab is about: that of a connection, or the first one. */
export interface OfSandbox {
  readonly connectionId: string | undefined;
}

/** Anything else in the address is left out. */
export function sandboxSearch({ tab, connection }: Readonly<Record<string, unknown>>): SandboxSearch {
  const known = SANDBOX_TABS.find((one) => one === tab);
  const isId = typeof connection === 'string' && /^con_[0-9a-f]{1,64}$/.test(connection);
  return { ...(known !== undefined && { tab: known }), ...(isId && { connection }) };
}
