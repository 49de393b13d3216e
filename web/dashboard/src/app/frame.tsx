// The frame around every page of a signed-in user: navigation, top bar, and the page.
import { Burger, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { Failed } from '../parts/states.tsx';
import { PasswordQuestion } from './confirm-password.tsx';
import classes from './frame.module.css';
import { KeyboardHelp } from './keyboard-help.tsx';
import { latePage, useAllPages } from './late-page.tsx';
import { useLiveQueries } from './live-queries.ts';
import { Navigation } from './navigation.tsx';
import { sessionQuery, useSessionEnd } from './session.tsx';
import { TopBar } from './top-bar.tsx';

const SignInPage = latePage(async () => (await import('../pages/sign-in/sign-in-page.tsx')).SignInPage);
const EnrolPage = latePage(async () => (await import('../pages/sign-in/enrol-page.tsx')).EnrolPage);

export function AppFrame(): ReactNode {
  const { data: user, error, refetch } = useQuery(sessionQuery);
  const [isOpen, { open, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the drawer
  useEffect(close, [pathname]);
  if (user === null)
    return (
      <div className={classes['lone']}>
        <SignInPage />
      </div>
    );
  // A page stays on screen while the service does not respond.
  if (error !== null && user === undefined)
    return (
      <div className={classes['alone']}>
        <Failed fault={error} onRetry={() => void refetch()} />
      </div>
    );
  // The shell of index.html stays, so that nothing moves when the session arrives.
  if (user === undefined) return null;
  if (user.mustEnrol)
    return (
      <div className={classes['lone']}>
        <EnrolPage />
      </div>
    );
  return (
    <div className={classes['frame']} data-mode={user.mode}>
      <LiveQueries />
      <a className={classes['skip']} href="#page">
        Skip to content
      </a>
      <aside className={classes['side']}>
        <Navigation />
      </aside>
      <Drawer
        opened={isOpen}
        onClose={close}
        size={264}
        padding={0}
        withCloseButton={false}
        title="Navigation"
        classNames={{ header: 'sr-only' }}
      >
        <Navigation />
      </Drawer>
      <div className={classes['main']}>
        <TopBar
          burger={
            <Burger
              className={classes['burger'] ?? ''}
              size="sm"
              opened={isOpen}
              onClick={open}
              aria-label="Open the navigation"
            />
          }
        />
        <main id="page" className={classes['page']} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <PasswordQuestion />
      <KeyboardHelp />
    </div>
  );
}

/**
 * Once a user is signed in, the queries on screen run again when an event has made them stale, and all pages are loaded
 * before they are opened.
 */
function LiveQueries(): ReactNode {
  useLiveQueries();
  useSessionEnd();
  useAllPages();
  return null;
}
