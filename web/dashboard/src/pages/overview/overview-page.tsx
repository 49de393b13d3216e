// The overview: how the account's payments do.
import type { ReactNode } from 'react';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Empty } from '../../parts/states.tsx';

export function OverviewPage(): ReactNode {
  return (
    <PageFrame title="Overview">
      <Empty title="No payments yet">Figures stand here as soon as the account has payments.</Empty>
    </PageFrame>
  );
}
