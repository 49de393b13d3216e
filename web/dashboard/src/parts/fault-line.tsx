// A failed action inside of a dialog or form: the sentence of the refusal and its diagnostics id.
import type { ReactNode } from 'react';
import { ApiFault } from '../app/api.ts';
import { CopyText } from './copy.tsx';
import classes from './fault-line.module.css';

interface FaultLineProps {
  readonly fault: Error | null | undefined;
  /** What it means, before the server's own sentence. */
  readonly lead?: string;
}

export function FaultLine({ fault, lead }: FaultLineProps): ReactNode {
  if (fault === null || fault === undefined) return null;
  const id = fault instanceof ApiFault ? fault.diagnosticsId : '';
  return (
    <div className={classes['fault']} role="alert">
      {lead !== undefined && `${lead} `}
      <bdi>{fault.message}</bdi>
      {id !== '' && (
        <span className={classes['id']}>
          <CopyText text={id} label="diagnostics id" />
        </span>
      )}
    </div>
  );
}
