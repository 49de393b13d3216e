// Names and values of one thing, as a definition list.
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export interface Fact {
  readonly name: string;
  /** Left out where it is undefined. */
  readonly value: ReactNode;
}

export const Facts = ({ facts }: { readonly facts: readonly Fact[] }): ReactNode => (
  <dl className={classes['facts']}>
    {facts
      .filter(({ value }) => value !== undefined)
      .map(({ name, value }) => (
        <div key={name} className={classes['fact']}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
