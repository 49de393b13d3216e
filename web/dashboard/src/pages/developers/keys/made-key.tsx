// A key that was just created or rotated, shown once, with a call that works as it is.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopiedText } from '../../../parts/copied-text.tsx';
import type { ApiKeyMade } from './api-keys.ts';
import classes from './keys.module.css';

const JSON_HEADER = " \\\n  -H 'Content-Type: application/json'";
const SESSION = `{"orderId": "order-1", "currencyCode": "EUR", "order": {"lineItems": [{"itemId": "shirt", "amount": 2500}]}}`;

/** A call that this key may make, to paste into a terminal. */
function callOf({ apiKey: { scopes, purpose }, text }: ApiKeyMade): string {
  const { origin } = location;
  const key = ` \\\n  -H 'X-Api-Key: ${text}'`;
  if (purpose === 'management') return `curl -sS '${origin}/management/keys'${key}`;
  if (scopes.includes('client_tokens:write') && !scopes.includes('transactions:retrieve'))
    return `curl -sS '${origin}/client-session'${key}${JSON_HEADER} \\\n  -d '${SESSION}'`;
  return `curl -sS '${origin}/payments?limit=5'${key}`;
}

export function MadeKey({ made, onClose }: { readonly made: ApiKeyMade; readonly onClose: () => void }): ReactNode {
  return (
    <Stack gap="md">
      <Alert
        color="yellow"
        variant="light"
        classNames={{ root: classes['once'] ?? '', message: classes['onceText'] ?? '' }}
      >
        {made.apiKey.purpose === 'management'
          ? 'Copy the key to the secrets of your infrastructure now. You cannot see it again.'
          : 'Copy the key to your backend’s secrets now. You cannot see it again.'}
      </Alert>
      <CopiedText label="API key" text={made.text} />
      <div>
        <Text fw={500} mb={4}>
          Try it in a terminal
        </Text>
        <CopiedText label="command" text={callOf(made)} isCode />
      </div>
      <Group justify="flex-end">
        <Button onClick={onClose}>I have saved it</Button>
      </Group>
    </Stack>
  );
}
