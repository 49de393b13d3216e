// API keys: the account's keys, and the actions on each.
import { ActionIcon, Button, Menu, SegmentedControl } from '@mantine/core';
import { DotsHorizontalIcon, PlusIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../../app/session.tsx';
import { Cut } from '../../../parts/cut.tsx';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { PageFrame } from '../../../parts/page-frame.tsx';
import { Empty } from '../../../parts/states.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { When } from '../../../parts/when.tsx';
import { ALL_SCOPES, type ApiKey, keysQuery } from './api-keys.ts';
import { ChangeKey, type KeyChange } from './change-key.tsx';
import { CreateKey } from './create-key.tsx';
import classes from './keys.module.css';

interface Changing {
  readonly apiKey: ApiKey;
  readonly change: KeyChange;
}
type Shown = 'usable' | 'all';

export function KeysPage(): ReactNode {
  const { data, error, refetch } = useQuery(keysQuery);
  const [isCreating, setCreating] = useState(false);
  const [changing, setChanging] = useState<Changing>();
  const [shown, setShown] = useState<Shown>('usable');
  const isOwner = useMay('owner');
  const keys = data?.data;
  const rows = shown === 'all' ? keys : keys?.filter(({ state }) => state === 'active');
  return (
    <PageFrame
      title="API keys"
      lead="Your backend calls the API with a key. Changes to a key take effect on its next request."
      actions={
        <Button leftSection={<PlusIcon />} onClick={() => setCreating(true)}>
          Create key
        </Button>
      }
    >
      <SegmentedControl
        mb="sm"
        aria-label="Which keys"
        value={shown}
        onChange={(value) => setShown(value === 'all' ? 'all' : 'usable')}
        data={[
          { value: 'usable', label: 'Active' },
          { value: 'all', label: 'All' },
        ]}
      />
      <DataTable
        label="API keys"
        columns={columnsOf((apiKey, change) => setChanging({ apiKey, change }), isOwner)}
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={(apiKey) => {
          if (apiKey.purpose === 'merchant' && isChangeable(apiKey, isOwner)) setChanging({ apiKey, change: 'scopes' });
        }}
        fault={error}
        onRetry={() => void refetch()}
        skeletonRows={3}
        empty={
          <Empty title="No active keys" action={<Button onClick={() => setCreating(true)}>Create key</Button>}>
            Create a key so that your backend can create sessions and accept payments.
          </Empty>
        }
      />
      {data?.isCut === true && (
        <p className={classes['cut']}>The account has more keys than the thousand that are shown.</p>
      )}
      <CreateKey isOpen={isCreating} onClose={() => setCreating(false)} />
      {changing !== undefined && <ChangeKey {...changing} onClose={() => setChanging(undefined)} />}
    </PageFrame>
  );
}

/** Management keys are for owners. */
const isChangeable = ({ purpose, state }: ApiKey, isOwner: boolean): boolean =>
  state !== 'revoked' && (purpose === 'merchant' || (purpose === 'management' && isOwner));

/** `All scopes`, `No scope`, or the scopes' names; what a management key may grant. */
function scopeWords({ scopes, grants }: ApiKey): string {
  const named = grants ?? scopes;
  const words = named.length === ALL_SCOPES.length ? 'All scopes' : named.length === 0 ? 'No scope' : named.join(', ');
  return grants === undefined ? words : `May grant: ${words}`;
}

const KINDS = { merchant: undefined, sandbox: 'the sandbox’s own', management: 'management key' } as const;

const columnsOf = (open: (apiKey: ApiKey, change: KeyChange) => void, isOwner: boolean): readonly Column<ApiKey>[] => [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name, purpose }) => (
      <span className={classes['name']}>
        <Cut>{name}</Cut>
        {KINDS[purpose] !== undefined && <span className={classes['own']}>{KINDS[purpose]}</span>}
      </span>
    ),
  },
  {
    id: 'key',
    header: 'Key',
    cell: ({ prefix }) => <code className={classes['prefix']}>{prefix}…</code>,
    isWideOnly: true,
  },
  {
    id: 'scopes',
    header: 'Scopes',
    cell: (apiKey) => (
      <span title={(apiKey.grants ?? apiKey.scopes).join(', ')}>
        <Cut>{scopeWords(apiKey)}</Cut>
      </span>
    ),
    isWideOnly: true,
  },
  {
    id: 'used',
    header: 'Last used',
    cell: ({ lastUsedAt }) =>
      lastUsedAt === undefined ? <span className={classes['dim']}>Never</span> : <When ms={Date.parse(lastUsedAt)} />,
    isWideOnly: true,
  },
  {
    id: 'expires',
    header: 'Expires',
    cell: ({ expiresAt }) =>
      expiresAt === undefined ? (
        <span className={classes['dim']}>Never</span>
      ) : (
        <When ms={Date.parse(expiresAt)} as="day" />
      ),
    isWideOnly: true,
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ state, previousUntil }) => (
      <span className={classes['status']}>
        <StatusBadge status={state} />
        {previousUntil !== undefined && (
          <span className={classes['dim']}>
            old key valid until <When ms={Date.parse(previousUntil)} />
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    align: 'right',
    width: '56px',
    cell: (apiKey) =>
      isChangeable(apiKey, isOwner) ? <KeyMenu apiKey={apiKey} onChoose={(change) => open(apiKey, change)} /> : null,
  },
];

interface KeyMenuProps {
  readonly apiKey: ApiKey;
  readonly onChoose: (change: KeyChange) => void;
}

const KeyMenu = ({ apiKey, onChoose }: KeyMenuProps): ReactNode => (
  <Menu position="bottom-end">
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${apiKey.name}`}>
        <DotsHorizontalIcon />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {apiKey.purpose === 'merchant' && <Menu.Item onClick={() => onChoose('scopes')}>Edit scopes</Menu.Item>}
      <Menu.Item onClick={() => onChoose('rotate')}>Rotate</Menu.Item>
      <Menu.Divider />
      <Menu.Item color="var(--cf-bad)" onClick={() => onChoose('revoke')}>
        Revoke
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);
