// The left navigation as it is drawn: only pages that exist, and that the user's role may open.
import { UnstyledButton } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Mark } from './mark.tsx';
import classes from './navigation.module.css';
import { NAVIGATION, type NavigationEntry } from './navigation-entries.ts';
import { useUser } from './session.tsx';

/** The entries that this user sees, by group; groups without one are left out. */
export function useNavigation(): typeof NAVIGATION {
  const { role } = useUser();
  const { routesByPath } = useRouter();
  const isShown = ({ to, roles }: NavigationEntry): boolean =>
    to in routesByPath && (roles === undefined || roles.includes(role));
  return NAVIGATION.map((group) => ({ ...group, entries: group.entries.filter(isShown) })).filter(
    ({ entries }) => entries.length > 0,
  );
}

export function Navigation(): ReactNode {
  return (
    <nav className={classes['navigation']} aria-label="Main">
      <Link to="/" className={classes['home']}>
        <Mark />
        Counterfoil
      </Link>
      {useNavigation().map(({ label, entries }) => (
        <div key={label} className={classes['group']}>
          {label !== '' && <div className={classes['label']}>{label}</div>}
          {entries.map(({ label: name, to, icon: Icon }) => (
            <UnstyledButton
              key={to}
              component={Link}
              to={to}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
              className={classes['entry']}
            >
              <Icon aria-hidden />
              {name}
            </UnstyledButton>
          ))}
        </div>
      ))}
    </nav>
  );
}
