// The sandbox, the acquirer in the box: its cards, its faults, its clock, its own books. Test mode only.
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
        <Empty title="There is no sandbox in live mode">It stands in for an acquirer in test mode, where no money moves.</Empty>
      </PageFrame>
    );
  return (
    <PageFrame
      title="Sandbox"
      lead="An acquirer in the box: it decides by the card, goes wrong when it is told to, and keeps books of its own."
    >
      <PageTabs tabs={TABS} chosen={tab} onChoose={(next) => void navigate({ search: { tab: next } })} />
    </PageFrame>
  );
}
