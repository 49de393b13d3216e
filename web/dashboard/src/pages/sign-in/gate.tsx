// The frame of the forms before the dashboard: the mark and one column.
import { type ReactNode, useEffect } from 'react';
import { Mark } from '../../app/mark.tsx';
import classes from './gate.module.css';

interface GateProps {
  readonly title: string;
  /** A sentence below the title. */
  readonly lead?: ReactNode;
  readonly children: ReactNode;
  /** A line below the form. */
  readonly foot?: ReactNode;
}

export function Gate({ title, lead, children, foot }: GateProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Counterfoil`;
  }, [title]);
  return (
    <main className={classes['gate']}>
      <div className={classes['column']}>
        <div className={classes['brand']}>
          <Mark size={28} />
          <span>Counterfoil</span>
        </div>
        <div className={classes['card']}>
          <h1 className={classes['title']}>{title}</h1>
          {lead !== undefined && <p className={classes['lead']}>{lead}</p>}
          {children}
        </div>
        {foot !== undefined && <p className={classes['foot']}>{foot}</p>}
      </div>
    </main>
  );
}

/** A sentence on why the form was refused. Screen readers announce it. */
export const Refused = ({ why }: { readonly why: string | undefined }): ReactNode => (
  <div role="alert" className={classes['refused']} data-shown={why !== undefined || undefined}>
    {why}
  </div>
);
