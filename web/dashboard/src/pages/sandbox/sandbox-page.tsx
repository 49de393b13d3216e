// The sandbox: its cards, faults, clock and ledger. Test mode only.
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useUser } from '../../app/session.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { type PageTab, PageTabs } from '../../parts/page-tabs.tsx';
import { Empty } from '../../parts/states.tsx';
import { CardsTab } from './cards-tab.tsx';
import { ClockTab } from './clock-tab.tsx';
import { DiffTab } from './diff-tab.tsx';
import { FaultsTab } from './faults-tab.tsx';
import { LedgerTab } from './ledger-tab.tsx';
import type { SandboxTab } from './sandbox-search.ts';

const route = getRouteApi('/app/developers/sandbox');

const TABS: readonly PageTab<SandboxTab>[] = [
  { name: 'cards', title: 'Test cards', panel: <CardsTab /> },
  { name: 'faults', title: 'Faults', panel: <FaultsTab /> },
  { name: 'clock', title: 'Clock', panel: <ClockTab /> },
  { name: 'ledger', title: 'Ledger', panel: <LedgerTab /> },
  { name: 'diff', title: 'Ledger against payments', panel: <DiffTab /> },
];

export function SandboxPage(): ReactNode {
  const { tab = 'cards' } = route.useSearch();
  const navigate = route.useNavigate();
  const { mode } = useUser();
  if (mode === 'live')
    return (
      <PageFrame title="Sandbox">
        <Empty title="No sandbox in live mode">
          The sandbox simulates an acquirer in test mode, where no money moves.
        </Empty>
      </PageFrame>
    );
  return (
    <PageFrame
      title="Sandbox"
      lead="A built-in acquirer for tests: its cards decide the outcome, its rules inject faults, and its ledger records every effect."
    >
      <PageTabs tabs={TABS} chosen={tab} onChoose={(next) => void navigate({ search: { tab: next } })} />
    </PageFrame>
  );
}
