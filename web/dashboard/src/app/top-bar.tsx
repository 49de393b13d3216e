// The top bar: the account, whether it is in test mode and its clock was moved, the colour scheme and the user's menu.
import { ActionIcon, Avatar, Drawer, Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  CheckIcon,
  DesktopIcon,
  ExitIcon,
  MagnifyingGlassIcon,
  MoonIcon,
  PersonIcon,
  SunIcon,
} from '@radix-ui/react-icons';
import { useMutation } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { FaultLine } from '../parts/fault-line.tsx';
import { ClockMark } from './clock-mark.tsx';
import classes from './frame.module.css';
import { LiveStatus } from './live-status.tsx';
import { SearchBox } from './search-box.tsx';
import { signOut, useUser } from './session.tsx';

export function TopBar({ burger }: { readonly burger: ReactNode }): ReactNode {
  const { accountName, mode } = useUser();
  return (
    <header className={classes['bar']}>
      {burger}
      <span className={classes['account']}>{accountName}</span>
      {mode === 'test' && (
        <span className={classes['modes']}>
          <span className={classes['mode']}>TEST MODE</span>
          <ClockMark />
        </span>
      )}
      <span className={classes['gap']} />
      <LiveStatus />
      <div className={classes['search']}>
        <SearchBox />
      </div>
      <SearchButton />
      <SchemeMenu />
      <UserMenu />
    </header>
  );
}

/** The search box of a narrow screen. It opens at the top, above the on-screen keyboard. */
function SearchButton(): ReactNode {
  const [isOpen, { open, close }] = useDisclosure(false);
  const { href } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes it
  useEffect(close, [href]);
  return (
    <>
      <ActionIcon
        className={classes['searchButton'] ?? ''}
        variant="subtle"
        color="gray"
        size="lg"
        aria-label="Search"
        onClick={open}
      >
        <MagnifyingGlassIcon />
      </ActionIcon>
      <Drawer
        opened={isOpen}
        onClose={close}
        position="top"
        size={72}
        padding="md"
        withCloseButton={false}
        title="Search"
        classNames={{ header: 'sr-only', body: classes['searchDrawer'] ?? '' }}
      >
        <SearchBox />
      </Drawer>
    </>
  );
}

const SCHEMES = [
  { value: 'auto', label: 'Match system', icon: <DesktopIcon /> },
  { value: 'light', label: 'Light', icon: <SunIcon /> },
  { value: 'dark', label: 'Dark', icon: <MoonIcon /> },
] as const;

function SchemeMenu(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const current = SCHEMES.find(({ value }) => value === colorScheme) ?? SCHEMES[0];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Colours: ${current.label}`}>
          {current.icon}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map(({ value, label, icon }) => (
          <Menu.Item
            key={value}
            leftSection={icon}
            rightSection={value === colorScheme && <CheckIcon aria-label="chosen" />}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function UserMenu(): ReactNode {
  const { email, role } = useUser();
  const leaving = useMutation({ mutationFn: signOut });
  return (
    <Menu position="bottom-end" width={240} onClose={leaving.reset}>
      <Menu.Target>
        <UnstyledButton aria-label={`Signed in as ${email}`} className={classes['user']}>
          <Avatar size={28} color="accent" name={email} alt="">
            {email.slice(0, 1).toUpperCase()}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={500} c="var(--cf-text)" truncate>
            {email}
          </Text>
          <Text size="xs">{role}</Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item leftSection={<PersonIcon />} component={Link} to="/account">
          Your account
        </Menu.Item>
        <Menu.Item
          leftSection={<ExitIcon />}
          closeMenuOnClick={false}
          disabled={leaving.isPending}
          onClick={() => leaving.mutate()}
        >
          Sign out
        </Menu.Item>
        {leaving.error !== null && <FaultLine fault={leaving.error} lead="You are still signed in." />}
      </Menu.Dropdown>
    </Menu>
  );
}
