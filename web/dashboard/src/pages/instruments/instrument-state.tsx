// How a payment instrument stands, in a word.
import type { ReactNode } from 'react';
import { StatusBadge } from '../../parts/status-badge.tsx';
import type { Instrument } from './instrument-queries.ts';

export function InstrumentState({ instrument }: { readonly instrument: Instrument }): ReactNode {
  const { deleted, closedAt, tokenType, used, expired } = instrument;
  if (deleted) return <StatusBadge status="DELETED" tone="quiet" />;
  if (closedAt !== undefined) return <StatusBadge status="CLOSED" tone="bad" />;
  if (tokenType === 'MULTI_USE') return <StatusBadge status="VAULTED" tone="good" />;
  if (used) return <StatusBadge status="USED" tone="quiet" />;
  return expired ? (
    <StatusBadge status="EXPIRED" tone="quiet" />
  ) : (
    <StatusBadge status="READY_FOR_ONE_PAYMENT" tone="busy" />
  );
}
