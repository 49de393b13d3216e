// A failed action inside of a dialog or form: the sentence of the refusal and its diagnostics id.
import type { ReactNode } from 'react';
import { ApiFault } from '../app/api.ts';
import { CopyText } from './copy.tsx';
import classes from './fault-line.module.css';

export function FaultLine({ fault }: { readonly fault: Error | null | undefined }): ReactNode {
  if (fault === null || fault === undefined) return null;
  const id = fault instanceof ApiFault ? fault.diagnosticsId : '';
  return (
    <div className={classes['fault']} role="alert">
      {fault.message}
      {id !== '' && (
        <span className={classes['id']}>
          <CopyText text={id} label="diagnostics id" />
        </span>
      )}
    </div>
  );
}
