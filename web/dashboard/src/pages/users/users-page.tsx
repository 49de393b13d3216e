// The users of the account, for its owners.
import { ActionIcon, Button, Menu } from '@mantine/core';
import { DotsHorizontalIcon, PlusIcon } from '@radix-ui/react-icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Asking, answerOf, api } from '../../app/api.ts';
import { withConfirmedPassword } from '../../app/confirm-password.tsx';
import { KEYS } from '../../app/query-keys.ts';
import { ConfirmDialog } from '../../parts/confirm.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { MachineTime } from '../../parts/machine-time.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Empty } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { LinkDialog, type MadeLink } from './link-dialog.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';
import { ROLE_WORDS } from './role-words.ts';
import classes from './users.module.css';

const readUsers = ({ signal }: Asking) => answerOf(api.GET('/dashboard/api/users', { signal }));
export type ListedUser = Awaited<ReturnType<typeof readUsers>>['data'][number];
const USERS_KEY = [KEYS.users] as const;

/** What is open above the table. */
type Asked =
  | { readonly what: 'role' | 'reset' | 'disable'; readonly user: ListedUser }
  | { readonly what: 'invite' | 'rename' };

export function UsersPage(): ReactNode {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: USERS_KEY, queryFn: readUsers });
  const [asked, setAsked] = useState<Asked>();
  const [made, setMade] = useState<MadeLink>();
  const close = (): void => {
    setAsked(undefined);
    void queries.invalidateQueries({ queryKey: USERS_KEY });
  };
  const asks = (what: 'role' | 'reset' | 'disable'): ListedUser | undefined =>
    asked !== undefined && asked.what === what && 'user' in asked ? asked.user : undefined;
  const [resetting, disabling, changing] = [asks('reset'), asks('disable'), asks('role')];
  const reset = async (): Promise<void> => {
    if (resetting === undefined) return;
    const params = { path: { id: resetting.id } };
    const ask = () => answerOf(api.POST('/dashboard/api/users/{id}/reset', { params, body: {} }));
    setMade({ email: resetting.email, ...(await withConfirmedPassword(ask)) });
  };
  const disable = async (): Promise<void> => {
    if (disabling === undefined) return;
    const params = { path: { id: disabling.id } };
    await withConfirmedPassword(() => answerOf(api.POST('/dashboard/api/users/{id}/disable', { params, body: {} })));
  };
  const invite = (
    <Button leftSection={<PlusIcon aria-hidden />} onClick={() => setAsked({ what: 'invite' })}>
      Invite
    </Button>
  );
  return (
    <PageFrame
      title="Users"
      lead="The people who can sign in to this dashboard, and their roles."
      actions={
        <>
          <Button variant="default" onClick={() => setAsked({ what: 'rename' })}>
            Rename account
          </Button>
          {invite}
        </>
      }
    >
      <DataTable
        label="Users"
        columns={columnsWith((what, user) => setAsked({ what, user }))}
        rows={data?.data}
        rowKey={({ id }) => id}
        fault={error}
        onRetry={() => void refetch()}
        skeletonRows={4}
        empty={<Empty title="No users yet" action={invite} />}
      />
      <InviteDialog isOpen={asked?.what === 'invite'} onClose={close} onMade={setMade} />
      <RenameDialog isOpen={asked?.what === 'rename'} onClose={close} />
      <LinkDialog made={made} onClose={() => setMade(undefined)} />
      <RoleDialog user={changing} onClose={close} />
      <ConfirmDialog
        isOpen={resetting !== undefined}
        onClose={close}
        title={
          <>
            Reset access for <bdi>{resetting?.email}</bdi>?
          </>
        }
        confirm="Reset"
        isDangerous
        onConfirm={reset}
      >
        This removes the password and two-factor sign-in and ends every session. You get a link to pass on, with which
        the user sets a new password.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={disabling !== undefined}
        onClose={close}
        title={
          <>
            Disable <bdi>{disabling?.email}</bdi>?
          </>
        }
        confirm="Disable"
        isDangerous
        onConfirm={disable}
      >
        The user is signed out everywhere and can no longer sign in. You can invite the user again.
      </ConfirmDialog>
    </PageFrame>
  );
}

const columnsWith = (
  ask: (what: 'role' | 'reset' | 'disable', user: ListedUser) => void,
): readonly Column<ListedUser>[] => [
  {
    id: 'email',
    header: 'E-mail',
    cell: ({ email, isYou, role, state }) => (
      <>
        <span className={classes['email']}>
          <Cut>{email}</Cut>
          {isYou && <span className={classes['you']}>you</span>}
        </span>
        <span className={classes['role']}>
          {ROLE_WORDS[role].name} <StatusBadge status={state} />
        </span>
      </>
    ),
  },
  { id: 'role', header: 'Role', width: '120px', isWideOnly: true, cell: ({ role }) => ROLE_WORDS[role].name },
  {
    id: 'status',
    header: 'Status',
    width: '110px',
    isWideOnly: true,
    cell: ({ state }) => <StatusBadge status={state} />,
  },
  {
    id: 'two-factor',
    header: 'Two-factor',
    width: '110px',
    isWideOnly: true,
    cell: ({ isTwoFactorOn }) => (isTwoFactorOn ? 'On' : 'Off'),
  },
  {
    id: 'signed-in',
    header: (
      <>
        Last sign-in
        <MachineTime />
      </>
    ),
    width: '190px',
    isWideOnly: true,
    cell: ({ signedInAt }) =>
      signedInAt === undefined ? <span className={classes['never']}>Never</span> : <When ms={Date.parse(signedInAt)} />,
  },
  {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    width: '56px',
    align: 'right',
    cell: (user) => <UserMenu user={user} onAsk={(what) => ask(what, user)} />,
  },
];

interface UserMenuProps {
  readonly user: ListedUser;
  readonly onAsk: (what: 'role' | 'reset' | 'disable') => void;
}

function UserMenu({ user: { email, state, isYou }, onAsk }: UserMenuProps): ReactNode {
  if (isYou || state === 'disabled') return null;
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${email}`}>
          <DotsHorizontalIcon aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onAsk('role')}>Change role…</Menu.Item>
        <Menu.Item onClick={() => onAsk('reset')}>
          {state === 'invited' ? 'Create new link…' : 'Reset access…'}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item color="var(--cf-bad)" onClick={() => onAsk('disable')}>
          Disable…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
