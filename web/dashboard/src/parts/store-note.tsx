// In the place of what would change the whole store, for users whose account does not operate it.
import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';

/** `children`: a sentence on what all accounts share. */
export const StoreNote = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <Alert color="gray" role="note" title="Other accounts share this" my="sm">
    {children} Only users of an account that operates the service can change it.
  </Alert>
);
