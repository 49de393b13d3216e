// Filters that a person comes back to, under a name of their own. They are stored in this browser, for each account.
import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { BookmarkIcon, Cross2Icon } from '@radix-ui/react-icons';
import { Link } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useUser } from '../../app/session.tsx';
import { filterCount, type PaymentSearch } from './payment-filters.ts';
import classes from './saved-views.module.css';

interface SavedView {
  readonly name: string;
  readonly search: PaymentSearch;
}
const MOST = 20;

export function SavedViews({ search }: { readonly search: PaymentSearch }): ReactNode {
  const { accountId } = useUser();
  const [views, setViews] = useLocalStorage<readonly SavedView[]>({
    key: `counterfoil-views-${accountId}`,
    defaultValue: [],
  });
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const isWorthIt = filterCount(search) > 0 || search.sort !== undefined;
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const saved = { name: name.trim(), search };
    if (saved.name === '') return;
    setViews([...views.filter((one) => one.name !== saved.name), saved].slice(-MOST));
    setName('');
    setOpen(false);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" width={280} trapFocus returnFocus>
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
        <Stack gap="sm">
          {views.length > 0 && (
            <ul className={classes['list']} aria-label="Saved views">
              {views.map((view) => (
                <li key={view.name}>
                  <Link
                    to="/payments"
                    search={view.search}
                    className={classes['view'] ?? ''}
                    onClick={() => setOpen(false)}
                  >
                    <bdi>{view.name}</bdi>
                  </Link>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Delete the view ${view.name}`}
                    onClick={() => setViews(views.filter((one) => one.name !== view.name))}
                  >
                    <Cross2Icon />
                  </ActionIcon>
                </li>
              ))}
            </ul>
          )}
          {isWorthIt ? (
            <form onSubmit={save}>
              <Group gap="xs" align="end" wrap="nowrap">
                <TextInput
                  label="Save these filters as"
                  value={name}
                  maxLength={60}
                  autoComplete="off"
                  onChange={({ currentTarget }) => setName(currentTarget.value)}
                  className={classes['name'] ?? ''}
                  data-autofocus
                />
                <Button type="submit" disabled={name.trim() === ''}>
                  Save
                </Button>
              </Group>
            </form>
          ) : (
            <Text size="sm" c="dimmed">
              Set filters, then save them here under a name. Views are kept in this browser.
            </Text>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
