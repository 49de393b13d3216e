// A part of the page "Your account": what it is about at the left, what can be done at the right.
import type { ReactNode } from 'react';
import classes from './account.module.css';

interface PanelProps {
  readonly title: string;
  readonly lead: ReactNode;
  readonly children: ReactNode;
}

export const Panel = ({ title, lead, children }: PanelProps): ReactNode => (
  <section className={classes['panel']} aria-label={title}>
    <div>
      <h2 className={classes['title']}>{title}</h2>
      <p className={classes['lead']}>{lead}</p>
    </div>
    <div className={classes['body']}>{children}</div>
  </section>
);
