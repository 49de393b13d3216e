// An HTTP status on its colour.
import type { ReactNode } from 'react';
import { StatusBadge } from '../../parts/status-badge.tsx';

const TONES = { 2: 'good', 3: 'quiet', 4: 'warn', 5: 'bad' } as const;

const toneOf = (status: number): (typeof TONES)[keyof typeof TONES] =>
  status < 300 ? TONES[2] : status < 400 ? TONES[3] : status < 500 ? TONES[4] : TONES[5];

export const StatusCode = ({ status }: { readonly status: number }): ReactNode => (
  <StatusBadge status={String(status)} tone={toneOf(status)} />
);
