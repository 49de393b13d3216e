// The buttons of an agreement: pause, resume and cancel, each with a question before.
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { requestKey } from '../../app/request-key.ts';
import { useMay } from '../../app/session.tsx';
import { ConfirmDialog } from '../../parts/confirm.tsx';
import type { Done } from '../../parts/done-line.tsx';
import { type Change, changeAgreement } from './agreement-queries.ts';
import type { Agreement } from './agreement-types.ts';

interface AgreementActionsProps {
  readonly agreement: Agreement;
  /** Called with a sentence on what was done. */
  readonly onDone: (done: Done) => void;
}

const WORDS = {
  pause: {
    button: 'Pause',
    title: 'Pause this agreement?',
    confirm: 'Pause',
    says: 'No period can be charged until you resume the agreement. A charge that has begun goes on.',
    done: 'Agreement paused.',
  },
  resume: {
    button: 'Resume',
    title: 'Resume this agreement?',
    confirm: 'Resume',
    says: 'Its periods can be charged again, and planned tries are made.',
    done: 'Agreement resumed.',
  },
  cancel: {
    button: 'Cancel agreement',
    title: 'Cancel this agreement?',
    confirm: 'Cancel for good',
    says: 'This cannot be undone: a new agreement needs a new consent. A charge that has begun goes on.',
    done: 'Agreement cancelled.',
  },
} as const satisfies { readonly [C in Change]: object };

const MOST_CHARACTERS = 255;

const possible = ({ status }: Agreement): readonly Change[] => {
  switch (status) {
    case 'ACTIVE':
      return ['pause', 'cancel'];
    case 'PAUSED':
      return ['resume', 'cancel'];
    case 'PENDING':
    case 'SUSPENDED':
      return ['cancel'];
    default:
      return [];
  }
};

/** Nothing for roles that may change no agreement, and for one that is over. */
export function AgreementActions({ agreement, onDone }: AgreementActionsProps): ReactNode {
  const isAllowed = useMay('owner', 'support');
  const [asked, setAsked] = useState<{ readonly change: Change; readonly key: string }>();
  const [reason, setReason] = useState('');
  const changes = isAllowed ? possible(agreement) : [];
  if (changes.length === 0 && asked === undefined) return null;
  const words = asked && WORDS[asked.change];
  return (
    <Group gap="xs">
      {changes.map((change) => (
        <Button
          key={change}
          variant="default"
          {...(change === 'cancel' && { color: 'red' })}
          onClick={() => setAsked({ change, key: requestKey(`agreement-${change}`) })}
        >
          {WORDS[change].button}
        </Button>
      ))}
      {asked !== undefined && words !== undefined && (
        <ConfirmDialog
          isOpen
          onClose={() => setAsked(undefined)}
          title={words.title}
          confirm={words.confirm}
          isDangerous={asked.change === 'cancel'}
          onConfirm={async () => {
            await changeAgreement(agreement.id, asked.change, asked.key, reason.trim());
            onDone({ words: words.done, tone: 'good' });
          }}
        >
          <Stack gap="sm">
            <span>{words.says}</span>
            {asked.change === 'cancel' && (
              <TextInput
                label="Reason (optional)"
                maxLength={MOST_CHARACTERS}
                value={reason}
                onChange={({ currentTarget }) => setReason(currentTarget.value)}
              />
            )}
          </Stack>
        </ConfirmDialog>
      )}
    </Group>
  );
}
