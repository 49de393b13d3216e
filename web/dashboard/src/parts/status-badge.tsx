// A status as a word on its colour: of payments, keys, users, projections. The word says it all; the colour only helps
// the eye.
import type { ReactNode } from 'react';
import classes from './status-badge.module.css';

type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'quiet';

/** Statuses of the contract and of the dashboard's own things; an unknown one is quiet. */
const TONES: { readonly [status: string]: Tone } = {
  PENDING: 'busy',
  AUTHORIZED: 'busy',
  SETTLING: 'busy',
  PARTIALLY_SETTLED: 'good',
  SETTLED: 'good',
  DECLINED: 'bad',
  FAILED: 'bad',
  CANCELLED: 'quiet',
  UNKNOWN: 'warn',
  AMOUNT_DIFFERS: 'warn',
  REFUND_NOT_KNOWN: 'warn',
  DISPUTED: 'warn',
  DISPUTE_LOST: 'bad',
  OPEN: 'warn',
  CHALLENGED: 'busy',
  ACCEPTED: 'quiet',
  EXPIRED: 'bad',
  WON: 'good',
  LOST: 'bad',
  PREVENTED: 'quiet',
  ACTIVE: 'good',
  PAUSED: 'busy',
  SUSPENDED: 'warn',
  REVOKED: 'bad',
  SUCCEEDED: 'good',
  active: 'good',
  healthy: 'good',
  delivered: 'good',
  waiting: 'busy',
  retrying: 'warn',
  failing: 'bad',
  gone: 'bad',
  live: 'good',
  ready: 'good',
  succeeded: 'good',
  expired: 'quiet',
  revoked: 'quiet',
  disabled: 'quiet',
  invited: 'busy',
  building: 'busy',
  joining: 'busy',
  degraded: 'warn',
  parked: 'warn',
  open: 'warn',
  declined: 'bad',
  failed: 'bad',
};

interface StatusBadgeProps {
  /** As the API has it, `PARTIALLY_SETTLED`: it is shown as words. */
  readonly status: string;
  /** Where the status itself does not say the colour. */
  readonly tone?: Tone;
}

export const toneOf = (status: string): Tone => TONES[status] ?? 'quiet';

/** `PARTIALLY_SETTLED` as `Partially settled`. */
export function statusWords(status: string): string {
  const words = status.toLowerCase().replaceAll('_', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

export const StatusBadge = ({ status, tone = toneOf(status) }: StatusBadgeProps): ReactNode => (
  <span className={classes['badge']} data-tone={tone}>
    {statusWords(status)}
  </span>
);
