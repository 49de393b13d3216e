// Filters that people come back to, under a name: for everybody of the account, or in this browser only.
import { ActionIcon, Button, Checkbox, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { BookmarkIcon, Cross2Icon } from '@radix-ui/react-icons';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { answerOf, api } from '../app/api.ts';
import type { components } from '../app/api-types.d.ts';
import { KEYS } from '../app/query-keys.ts';
import { requestKey, under } from '../app/request-key.ts';
import { useMay, useUser } from '../app/session.tsx';
import { ConfirmDialog } from './confirm.tsx';
import { FaultLine } from './fault-line.tsx';
import { PathLink } from './path-link.tsx';
import classes from './saved-views.module.css';

type SharedView = components['schemas']['SavedViews']['data'][number];
type ListName = components['schemas']['NewSavedView']['list'];
type Search = Readonly<Record<string, string>>;

interface OwnView {
  readonly name: string;
  readonly search: Search;
}
const MOST = 20;
const MOST_CHARACTERS = 60;

const viewsQuery = queryOptions({
  queryKey: [KEYS.views],
  queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/views', { signal })),
});

interface SavedViewsProps {
  /** Also the path of its page. */
  readonly list: ListName;
  /** Filters and order as the URL has them; without members there is nothing to save. */
  readonly search: Search;
}

export function SavedViews({ list, search }: SavedViewsProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [removed, setRemoved] = useState<SharedView>();
  const queries = useQueryClient();
  const remove = async ({ view }: SharedView): Promise<void> => {
    const left = await answerOf(
      api.POST('/dashboard/api/views/{view}/remove', { params: { path: { view } }, body: {} }),
    );
    queries.setQueryData(viewsQuery.queryKey, left);
  };
  return (
    <>
      <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" width={320} trapFocus returnFocus>
        <Popover.Target>
          <Button
            variant="default"
            leftSection={<BookmarkIcon />}
            onClick={() => setOpen(!isOpen)}
            aria-expanded={isOpen}
          >
            Views
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Views
            list={list}
            search={search}
            onClose={() => setOpen(false)}
            onRemove={(view) => {
              setOpen(false);
              setRemoved(view);
            }}
          />
        </Popover.Dropdown>
      </Popover>
      {removed !== undefined && (
        <ConfirmDialog
          isOpen
          onClose={() => setRemoved(undefined)}
          title={
            <>
              Remove the view <bdi>{removed.name}</bdi>?
            </>
          }
          confirm="Remove view"
          isDangerous
          onConfirm={() => remove(removed)}
        >
          All users of the account lose it. Nothing else changes.
        </ConfirmDialog>
      )}
    </>
  );
}

interface ViewsProps extends SavedViewsProps {
  readonly onClose: () => void;
  readonly onRemove: (view: SharedView) => void;
}

function Views({ list, search, onClose, onRemove }: ViewsProps): ReactNode {
  const { accountId, userId } = useUser();
  const mayRemoveAll = useMay('owner');
  const { data, error } = useQuery(viewsQuery);
  const shared = data?.data.filter((view) => view.list === list) ?? [];
  const [own, setOwn] = useLocalStorage<readonly OwnView[]>({
    // Views of payments were the first ones.
    key: list === 'payments' ? `counterfoil-views-${accountId}` : `counterfoil-views-${list}-${accountId}`,
    defaultValue: [],
  });
  const saveOwn = (view: OwnView): void => setOwn([...own.filter(({ name }) => name !== view.name), view].slice(-MOST));
  return (
    <Stack gap="sm">
      <FaultLine fault={error} />
      {shared.length > 0 && (
        <ViewList name="For everybody">
          {shared.map((view) => (
            <ViewLine
              key={view.view}
              path={pathOf(list, view.search)}
              name={view.name}
              by={view.author.id === userId ? 'you' : (view.author.email ?? view.author.id)}
              onOpen={onClose}
              {...((mayRemoveAll || view.author.id === userId) && { onRemove: () => onRemove(view) })}
            />
          ))}
        </ViewList>
      )}
      {own.length > 0 && (
        <ViewList name="In this browser">
          {own.map((view) => (
            <ViewLine
              key={view.name}
              path={pathOf(list, view.search)}
              name={view.name}
              onOpen={onClose}
              onRemove={() => setOwn(own.filter(({ name }) => name !== view.name))}
            />
          ))}
        </ViewList>
      )}
      {Object.keys(search).length === 0 ? (
        <Text size="sm" c="dimmed">
          Set filters or an order, then save them here under a name.
        </Text>
      ) : (
        <NewView list={list} search={search} onSave={saveOwn} onDone={onClose} />
      )}
    </Stack>
  );
}

const pathOf = (list: ListName, search: Search): string => `/${list}?${new URLSearchParams(search)}`;

const ViewList = ({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode => (
  <div>
    <p className={classes['heading']}>{name}</p>
    <ul className={classes['list']} aria-label={`Views: ${name}`}>
      {children}
    </ul>
  </div>
);

interface ViewLineProps {
  readonly path: string;
  readonly name: string;
  /** The name of its author. */
  readonly by?: string;
  readonly onOpen: () => void;
  readonly onRemove?: () => void;
}

const ViewLine = ({ path, name, by, onOpen, onRemove }: ViewLineProps): ReactNode => (
  <li>
    <PathLink path={path} className={classes['view']} onFollow={onOpen}>
      <bdi>{name}</bdi>
      {by !== undefined && (
        <span className={classes['by']}>
          by <bdi>{by}</bdi>
        </span>
      )}
    </PathLink>
    {onRemove !== undefined && (
      <ActionIcon variant="subtle" color="gray" aria-label={`Remove the view ${name}`} onClick={onRemove}>
        <Cross2Icon />
      </ActionIcon>
    )}
  </li>
);

interface NewViewProps extends SavedViewsProps {
  readonly onSave: (view: OwnView) => void;
  readonly onDone: () => void;
}

function NewView({ list, search, onSave, onDone }: NewViewProps): ReactNode {
  const queries = useQueryClient();
  const mayShare = useMay('owner', 'developer', 'support');
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const [fault, setFault] = useState<Error>();
  const [key, setKey] = useState(() => requestKey('view'));
  /** Another name is another request. */
  const change = (text: string): void => {
    setName(text);
    setKey(requestKey('view'));
  };
  const share = async (view: OwnView): Promise<void> => {
    setRunning(true);
    setFault(undefined);
    try {
      const views = await answerOf(api.POST('/dashboard/api/views', { body: { ...view, list }, ...under(key) }));
      queries.setQueryData(viewsQuery.queryKey, views);
      onDone();
    } catch (thrown) {
      setFault(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setRunning(false);
    }
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const view = { name: name.trim(), search };
    if (view.name === '') return;
    if (isShared) void share(view);
    else {
      onSave(view);
      onDone();
    }
  };
  return (
    <form onSubmit={save}>
      <Stack gap="xs">
        <TextInput
          label="Save this list as"
          value={name}
          maxLength={MOST_CHARACTERS}
          autoComplete="off"
          onChange={({ currentTarget }) => change(currentTarget.value)}
          data-autofocus
        />
        {mayShare && (
          <Checkbox
            label="For everybody of the account"
            checked={isShared}
            onChange={({ currentTarget }) => setShared(currentTarget.checked)}
          />
        )}
        <FaultLine fault={fault} />
        <Button type="submit" loading={isRunning} disabled={name.trim() === ''}>
          Save view
        </Button>
      </Stack>
    </form>
  );
}
