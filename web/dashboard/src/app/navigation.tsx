// The left navigation as it is drawn: only pages that exist, and that the user's role may open, each with the count of
// the work that waits there.
import { UnstyledButton } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PathLink } from '../parts/path-link.tsx';
import { Mark } from './mark.tsx';
import classes from './navigation.module.css';
import { NAVIGATION, type NavigationEntry } from './navigation-entries.ts';
import { type Need, needCount, useNeeds } from './needs.ts';
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
  const needs = useNeeds() ?? [];
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
            <div key={to} className={classes['row']}>
              <UnstyledButton
                component={Link}
                to={to}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                activeProps={{ 'aria-current': 'page' }}
                className={classes['entry']}
              >
                <Icon aria-hidden />
                {name}
              </UnstyledButton>
              <Count needs={needs.filter(({ entry }) => entry === to)} />
            </div>
          ))}
        </div>
      ))}
    </nav>
  );
}

/** The work that waits on a page, as a link to its list. */
function Count({ needs }: { readonly needs: readonly Need[] }): ReactNode {
  const [first] = needs;
  const count = needs.reduce((sum, one) => sum + one.count, 0);
  if (first === undefined || count === 0) return null;
  const total = needCount({ count, isMore: needs.some(({ isMore }) => isMore) });
  const each = needs.map((one) => `${needCount(one)} ${one.words}`).join(', ');
  const words = needs.length === 1 ? each : `${total}: ${each}`;
  return (
    <PathLink path={first.path} className={classes['count']} title={words} aria-label={words}>
      {total}
    </PathLink>
  );
}
