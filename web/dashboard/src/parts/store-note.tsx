// Shown in place of controls that change the whole store, to users whose account does not operate it.
import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';

/** `children`: a sentence on what all accounts share. */
export const StoreNote = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <Alert color="gray" role="note" title="Shared with other accounts" my="sm">
    {children} Only users of an account that operates the service can change this.
  </Alert>
);
