// The outermost page: the welcome page if the URL has a one-time link, otherwise the routes. The token leaves the URL
// at once, so that neither the history nor a screenshot contains it.
import { Outlet } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';

const WELCOME = '#/welcome/';

const WelcomePage = lazy(() =>
  import('../pages/sign-in/welcome-page.tsx').then((page) => ({ default: page.WelcomePage })),
);

function takeToken(): string | undefined {
  const { hash, pathname } = location;
  if (!hash.startsWith(WELCOME)) return undefined;
  history.replaceState(history.state, '', pathname);
  return decodeURIComponent(hash.slice(WELCOME.length));
}

/** Before the router reads the address. */
const firstToken = takeToken();

export function Root(): ReactNode {
  const [token, setToken] = useState(firstToken);
  useEffect(() => {
    const look = (): void => setToken((known) => takeToken() ?? known);
    window.addEventListener('hashchange', look);
    return () => window.removeEventListener('hashchange', look);
  }, []);
  if (token === undefined) return <Outlet />;
  return (
    <Suspense>
      <WelcomePage key={token} token={token} onDone={() => setToken(undefined)} />
    </Suspense>
  );
}
