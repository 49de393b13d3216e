// A part of a page under its own heading.
import type { ReactNode } from 'react';
import classes from './section.module.css';

interface SectionProps {
  readonly title: string;
  /** At the right of the heading. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

export const Section = ({ title, action, children }: SectionProps): ReactNode => (
  <section className={classes['section']} aria-label={title}>
    <div className={classes['head']}>
      <h2>{title}</h2>
      {action}
    </div>
    {children}
  </section>
);
