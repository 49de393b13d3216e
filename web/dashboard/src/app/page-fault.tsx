// What stands in a page's place when it failed, or where no page is.
import { Anchor } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageFrame } from '../parts/page-frame.tsx';
import { Empty, Failed } from '../parts/states.tsx';

/** The boundary around every page: the frame stays, and the page can be tried again. */
export function PageFault({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <PageFrame title="This page failed">
      <Failed fault={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
    </PageFrame>
  );
}

export function NotFound(): ReactNode {
  return (
    <PageFrame title="Not found">
      <Empty title="There is no such page">
        The address may be mistyped, or the thing is of another account.{' '}
        <Anchor component={Link} to="/">
          Go to the overview
        </Anchor>
      </Empty>
    </PageFrame>
  );
}
