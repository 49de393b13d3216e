// The sandbox: its cards, faults, clock and ledger. Test mode only.
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useUser } from '../../app/session.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { type PageTab, PageTabs } from '../../parts/page-tabs.tsx';
import { Empty } from '../../parts/states.tsx';
import { CardsTab } from './cards-tab.tsx';
import { ClockTab } from './clock-tab.tsx';
import { DiffTab } from './diff-tab.tsx';
import { furtherQuery } from './fault-queries.ts';
import { FaultsTab } from './faults-tab.tsx';
import { LedgerTab } from './ledger-tab.tsx';
import type { SandboxTab } from './sandbox-search.ts';

const route = getRouteApi('/app/developers/sandbox');

const tabsOf = (connectionId: string | undefined): readonly PageTab<SandboxTab>[] => [
  { name: 'cards', title: 'Test cards', panel: <CardsTab /> },
  { name: 'faults', title: 'Faults', panel: <FaultsTab key={connectionId ?? ''} connectionId={connectionId} /> },
  { name: 'clock', title: 'Clock', panel: <ClockTab /> },
  { name: 'ledger', title: 'Ledger', panel: <LedgerTab connectionId={connectionId} /> },
  { name: 'diff', title: 'Ledger against payments', panel: <DiffTab /> },
];

/** Nothing for an account with one sandbox. */
function ChooseSandbox({
  connection,
  onChoose,
}: {
  readonly connection: string | undefined;
  readonly onChoose: (connection: string | undefined) => void;
}): ReactNode {
  const { data } = useQuery(furtherQuery);
  if (data === undefined || data.data.length === 0) return null;
  return (
    <NativeSelect
      aria-label="Sandbox"
      value={connection ?? ''}
      onChange={({ currentTarget: { value } }) => onChoose(value === '' ? undefined : value)}
      data={[{ value: '', label: 'First sandbox' }, ...data.data.map(({ id, name }) => ({ value: id, label: name }))]}
    />
  );
}

export function SandboxPage(): ReactNode {
  const { tab = 'cards', connection } = route.useSearch();
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
      actions={
        <ChooseSandbox
          connection={connection}
          onChoose={(next) => void navigate({ search: { tab, ...(next !== undefined && { connection: next }) } })}
        />
      }
    >
      <PageTabs
        tabs={tabsOf(connection)}
        chosen={tab}
        onChoose={(next) => void navigate({ search: { tab: next, ...(connection !== undefined && { connection }) } })}
      />
    </PageFrame>
  );
}
