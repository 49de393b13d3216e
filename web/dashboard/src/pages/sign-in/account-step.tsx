// The choice of an account, for an e-mail address and password that users of several accounts share.
import { Anchor, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { components } from '../../app/api-types.d.ts';
import classes from './gate.module.css';
import { Gate, Refused } from './gate.tsx';

export type AccountChoice = components['schemas']['AccountChoice'];

interface AccountStepProps {
  readonly accounts: readonly AccountChoice[];
  readonly onChoice: (accountId: string) => Promise<void>;
  readonly onBack: () => void;
  readonly isRunning: boolean;
  readonly why: string | undefined;
}

export function AccountStep({ accounts, onChoice, onBack, isRunning, why }: AccountStepProps): ReactNode {
  return (
    <Gate
      title="Choose an account"
      lead="Your e-mail address and this password are used in several accounts."
      foot={
        <Anchor component="button" type="button" size="sm" onClick={onBack}>
          Sign in as another user
        </Anchor>
      }
    >
      <div className={classes['form']}>
        <Refused why={why} />
        <ul className={classes['choices']}>
          {accounts.map(({ accountId, accountName }, place) => (
            <li key={accountId}>
              <UnstyledButton
                className={classes['choice'] ?? ''}
                onClick={() => void onChoice(accountId)}
                disabled={isRunning}
                autoFocus={place === 0}
              >
                <span className={classes['choiceName']}>{accountName}</span>
                <span className={classes['choiceId']}>{accountId}</span>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      </div>
    </Gate>
  );
}
