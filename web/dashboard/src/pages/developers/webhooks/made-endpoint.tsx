// A secret that was just created, shown once, with the code that uses it.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopiedText } from '../../../parts/copied-text.tsx';
import type { EndpointMade } from './webhook-queries.ts';
import classes from './webhooks.module.css';

const verifying = (secret: string): string => `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET); // ${secret.slice(0, 10)}…
const message = webhook.verify(text, headers); // throws if we did not sign it`;

export function MadeEndpoint({
  made,
  onClose,
}: {
  readonly made: EndpointMade;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <Stack gap="md">
      <Alert
        color="yellow"
        variant="light"
        classNames={{ root: classes['once'] ?? '', message: classes['onceText'] ?? '' }}
      >
        Copy the signing secret to your backend’s secrets now. You cannot see it again.
      </Alert>
      <CopiedText label="signing secret" text={made.secret} />
      <div>
        <Text fw={500} mb={4}>
          Verify each message with it
        </Text>
        <CopiedText label="code" text={verifying(made.secret)} isCode />
      </div>
      <Group justify="flex-end">
        <Button onClick={onClose}>I have saved it</Button>
      </Group>
    </Stack>
  );
}
