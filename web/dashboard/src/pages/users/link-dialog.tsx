// The one-time link of a user, shown once.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyText } from '../../parts/copy.tsx';
import classes from './users.module.css';

export interface MadeLink {
  readonly email: string;
  /** Path and fragment. */
  readonly link: string;
}

export function LinkDialog({ made, onClose }: { readonly made: MadeLink | undefined; readonly onClose: () => void }): ReactNode {
  const link = made === undefined ? '' : `${location.origin}${made.link}`;
  return (
    <Modal opened={made !== undefined} onClose={onClose} title={`A link for ${made?.email ?? ''}`} closeOnClickOutside={false}>
      <Stack gap="md">
        <Text>Hand it over on a way that you trust. It is good for a day, once, and cannot be shown again.</Text>
        <div className={classes['link']}>
          <CopyText text={link} label="the link" />
        </div>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
