// The one-time link of a user, shown once.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './users.module.css';

export interface MadeLink {
  readonly email: string;
  readonly link: string;
}

export function LinkDialog({
  made,
  onClose,
}: {
  readonly made: MadeLink | undefined;
  readonly onClose: () => void;
}): ReactNode {
  const { copy, copied } = useClipboard();
  const link = made === undefined ? '' : new URL(new URL(made.link).hash, `${location.origin}/dashboard/`).href;
  return (
    <Modal
      opened={made !== undefined}
      onClose={onClose}
      title={
        <>
          Link for <bdi>{made?.email}</bdi>
        </>
      }
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <Text>
          Send this link over a channel you trust. It works once and expires in 24 hours. You cannot see it again.
        </Text>
        <div className={classes['link']}>{link}</div>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
          <Button onClick={() => copy(link)} data-autofocus>
            {copied ? 'Copied' : 'Copy link'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
