// The browsers in which the user is signed in. The user can sign out each one here.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../app/api.ts';
import { FaultLine } from '../../parts/fault-line.tsx';
import { MachineTime } from '../../parts/machine-time.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import classes from './account.module.css';
import { ACCOUNT_KEY } from './account-key.ts';
import { Panel } from './panel.tsx';

interface Session {
  readonly sessionId: string;
  readonly device: string;
  readonly address: string;
  readonly startedAt: number;
  readonly lastUsedAt: number;
  readonly isCurrent: boolean;
}

export function SessionsPanel({ sessions }: { readonly sessions: readonly Session[] }): ReactNode {
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: (which: string | 'others') =>
      which === 'others'
        ? answerOf(api.POST('/dashboard/api/account/sessions/end-others', { body: {} }))
        : answerOf(api.POST('/dashboard/api/account/sessions/{id}/end', { params: { path: { id: which } }, body: {} })),
    onSettled: () => queries.invalidateQueries({ queryKey: ACCOUNT_KEY }),
  });
  const ordered = sessions.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent) || b.lastUsedAt - a.lastUsedAt);
  return (
    <Panel
      title="Signed in"
      lead="A browser is signed out after half an hour of inactivity, or twelve hours after signing in."
    >
      <ul className={classes['sessions']}>
        {ordered.map(({ sessionId, device, address, startedAt, lastUsedAt, isCurrent }) => (
          <li key={sessionId} className={classes['session']}>
            <div className={classes['where']}>
              <div className={classes['device']}>
                {device}
                {isCurrent && <StatusBadge status="this browser" tone="busy" />}
              </div>
              <div className={classes['facts']}>
                {address} · since <When ms={startedAt} />
                {!isCurrent && (
                  <>
                    {' '}
                    · last used <When ms={lastUsedAt} />
                  </>
                )}
                <MachineTime />
              </div>
            </div>
            {!isCurrent && (
              <Button
                variant="default"
                aria-label={`Sign out ${device}`}
                loading={end.isPending && end.variables === sessionId}
                onClick={() => end.mutate(sessionId)}
              >
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
      <FaultLine fault={end.error} />
      {sessions.length > 1 && (
        <Button
          className={classes['after'] ?? ''}
          variant="default"
          loading={end.isPending && end.variables === 'others'}
          onClick={() => end.mutate('others')}
        >
          Sign out everywhere else
        </Button>
      )}
    </Panel>
  );
}
