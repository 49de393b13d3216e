// The one-time link of a user, shown once.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './users.module.css';

export interface MadeLink {
  readonly email: string;
  /** Path and fragment. */
  readonly link: string;
}

export function LinkDialog({ made, onClose }: { readonly made: MadeLink | undefined; readonly onClose: () => void }): ReactNode {
  const { copy, copied } = useClipboard();
  const link = made === undefined ? '' : `${location.origin}${made.link}`;
  return (
    <Modal
      opened={made !== undefined}
      onClose={onClose}
      title={
        <>
          A link for <bdi>{made?.email}</bdi>
        </>
      }
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <Text>Hand it over in a way that you trust. It is good for a day, once, and cannot be shown again.</Text>
        <div className={classes['link']}>{link}</div>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
          <Button onClick={() => copy(link)} data-autofocus>
            {copied ? 'Copied' : 'Copy the link'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
