// A page's head and body: the title, what can be done, and below it the page.
import { Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import classes from './page-frame.module.css';

interface PageFrameProps {
  /** Also the browser tab's. */
  readonly title: string;
  /** The title as the page draws it, where a part of it is a text of others. */
  readonly heading?: ReactNode;
  /** Beside the title, where it is not enough: a badge, an amount. */
  readonly aside?: ReactNode;
  /** A sentence on what the page is for. */
  readonly lead?: ReactNode;
  /** Buttons at the right. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function PageFrame({ title, heading = title, aside, lead, actions, children }: PageFrameProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Counterfoil`;
  }, [title]);
  return (
    <>
      <div className={classes['head']}>
        <div className={classes['words']}>
          <div className={classes['line']}>
            <Title order={1}>{heading}</Title>
            {aside}
          </div>
          {lead !== undefined && <p className={classes['lead']}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={classes['actions']}>{actions}</div>}
      </div>
      {children}
    </>
  );
}
