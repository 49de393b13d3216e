// The state of a connection, of its circuit breaker and of a call, in words and colours.
import type { ReactNode } from 'react';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import type { Connection, EndedCall } from './connection-queries.ts';

export const SECRET_NAMES: { readonly [name: string]: string } = {
  secretKey: 'Secret API key',
  webhookSecret: 'Webhook secret',
  previousWebhookSecret: 'Previous webhook secret',
};

const hasProblem = ({ secrets, status }: Connection): boolean =>
  status === 'active' && secrets.some(({ problem }) => problem !== undefined);

export const ConnectionStatus = ({ connection }: { readonly connection: Connection }): ReactNode =>
  hasProblem(connection) ? (
    <StatusBadge status="secret not usable" tone="bad" />
  ) : (
    <StatusBadge status={connection.status} />
  );

export const CircuitState = ({ circuit: { open } }: Pick<Connection, 'circuit'>): ReactNode => (
  <StatusBadge status={open ? 'open' : 'closed'} tone={open ? 'bad' : 'good'} />
);

/** The processor responded to these; every other outcome means that it did not. */
const TONES: { readonly [outcome: string]: 'good' | 'busy' | 'quiet' } = {
  succeeded: 'good',
  prepared: 'good',
  token: 'good',
  found: 'good',
  released: 'good',
  requires_action: 'busy',
  pending: 'busy',
  declined: 'quiet',
  refused: 'quiet',
  not_found: 'quiet',
};

export const CallOutcome = ({ call: { outcome } }: { readonly call: Pick<EndedCall, 'outcome'> }): ReactNode => (
  <StatusBadge status={outcome === 'token' ? 'tokenized' : outcome} tone={TONES[outcome] ?? 'bad'} />
);
