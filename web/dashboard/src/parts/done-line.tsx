// What has just been done, in a sentence: shown where it was asked for, and read out.
import type { ReactNode } from 'react';
import classes from './done-line.module.css';

export interface Done {
  readonly words: string;
  /** `warn`: it ran, and did not lead where it should. */
  readonly tone: 'good' | 'warn';
}

/** Stands before there is anything to say, so that screen readers hear the change. */
export const DoneLine = ({ done }: { readonly done: Done | undefined }): ReactNode => (
  <div role="status">
    {done !== undefined && (
      <p className={classes['done']} data-tone={done.tone}>
        {done.words}
      </p>
    )}
  </div>
);
