// The address of the Sandbox page: its tab.
const SANDBOX_TABS = ['cards', 'faults', 'clock', 'ledger', 'diff'] as const;
export type SandboxTab = (typeof SANDBOX_TABS)[number];

interface SandboxSearch {
  readonly tab?: SandboxTab;
}

/** Anything else in the address is left out. */
export function sandboxSearch({ tab }: Readonly<Record<string, unknown>>): SandboxSearch {
  const known = SANDBOX_TABS.find((one) => one === tab);
  return known === undefined ? {} : { tab: known };
}
