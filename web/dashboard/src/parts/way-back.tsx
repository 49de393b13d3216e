// Above the page of one thing: the list that it belongs to, and its id to copy.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyText } from './copy.tsx';
import classes from './way-back.module.css';

interface WayBackProps {
  /** The list's path, without /dashboard. */
  readonly to:
    | '/payments'
    | '/customers'
    | '/agreements'
    | '/client-sessions'
    | '/instruments'
    | '/developers/webhooks'
    | '/developers/connections';
  readonly words: string;
  readonly id: string;
  /** The id's name, for people who hear the page. */
  readonly label: string;
}

export const WayBack = ({ to, words, id, label }: WayBackProps): ReactNode => (
  <nav className={classes['way']} aria-label="Breadcrumb">
    <Link to={to}>{words}</Link>
    <span aria-hidden>/</span>
    <CopyText text={id} label={label} />
  </nav>
);
