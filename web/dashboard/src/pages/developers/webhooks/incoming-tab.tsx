// The account's incoming URLs: the processor and the API key of each, and a button that revokes it.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../../parts/confirm.tsx';
import { CopiedId } from '../../../parts/copied-id.tsx';
import { Cut } from '../../../parts/cut.tsx';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { Empty } from '../../../parts/states.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { When } from '../../../parts/when.tsx';
import type { Adding } from './endpoints-tab.tsx';
import { type IncomingUrl, incomingQuery, revokeIncoming } from './incoming-queries.ts';
import { MakeIncoming } from './make-incoming.tsx';
import classes from './webhooks.module.css';

export function IncomingTab({ isAdding, onAdd, onAdded }: Adding): ReactNode {
  const { data, error, refetch } = useQuery(incomingQuery);
  const [ending, setEnding] = useState<IncomingUrl>();
  return (
    <>
      <DataTable
        label="Incoming URLs"
        columns={columnsOf(setEnding)}
        rows={data?.data}
        rowKey={({ id }) => id}
        fault={error}
        onRetry={() => void refetch()}
        skeletonRows={3}
        empty={
          <Empty title="No incoming URLs yet" action={<Button onClick={onAdd}>Create URL</Button>}>
            Most processors send an API key with their notifications and do not need a URL. Create one for a processor
            that cannot.
          </Empty>
        }
      />
      {data?.isCut === true && (
        <p className={classes['dim']}>The account has more than 1,000 keys. The URLs of the first 1,000 are shown.</p>
      )}
      <MakeIncoming processors={data?.processors ?? []} isOpen={isAdding} onClose={onAdded} />
      {ending !== undefined && (
        <ConfirmDialog
          isOpen
          onClose={() => setEnding(undefined)}
          title="Revoke this URL?"
          confirm="Revoke URL"
          isDangerous
          onConfirm={() => revokeIncoming(ending.id)}
        >
          Notifications from {ending.processor} to this URL are refused from now on. You cannot restore a revoked URL.
          The key “<bdi>{ending.keyName}</bdi>” is not affected.
        </ConfirmDialog>
      )}
    </>
  );
}

const columnsOf = (onRevoke: (url: IncomingUrl) => void): readonly Column<IncomingUrl>[] => [
  { id: 'processor', header: 'Processor', cell: ({ processor }) => processor },
  { id: 'key', header: 'API key', cell: ({ keyName }) => <Cut>{keyName}</Cut> },
  { id: 'id', header: 'Id', isWideOnly: true, cell: ({ id }) => <CopiedId id={id} label="id" /> },
  { id: 'added', header: 'Created', isWideOnly: true, cell: ({ addedAt }) => <When ms={Date.parse(addedAt)} /> },
  {
    id: 'status',
    header: 'Status',
    cell: ({ state }) => (
      <span className={classes['last']} title={state === 'dead' ? DEAD : undefined}>
        <StatusBadge status={state} tone={state === 'dead' ? 'bad' : state === 'active' ? 'good' : 'quiet'} />
      </span>
    ),
  },
  {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    align: 'right',
    width: '110px',
    cell: (url) =>
      url.state === 'revoked' ? null : (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onRevoke(url)}
          aria-label={`Revoke the URL of ${url.keyName}`}
        >
          Revoke
        </Button>
      ),
  },
];

const DEAD = 'The key of this URL is revoked, has expired, or may no longer send notifications.';
