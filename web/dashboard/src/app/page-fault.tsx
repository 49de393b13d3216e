// The page shown after an error, and for an address without a page.
import { Anchor } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageFrame } from '../parts/page-frame.tsx';
import { Empty, Failed } from '../parts/states.tsx';

/** The error boundary around every page. The frame stays, and the user can try the page again. */
export function PageFault({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <PageFrame title="This page could not be shown">
      <Failed fault={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
    </PageFrame>
  );
}

export function NotFound(): ReactNode {
  return (
    <PageFrame title="Not found">
      <Empty title="Page not found">
        Check the address. The item may also belong to another account.{' '}
        <Anchor component={Link} to="/">
          Go to the overview
        </Anchor>
      </Empty>
    </PageFrame>
  );
}
