// In live mode owners and support set up two-factor sign-in before anything else.
import { Anchor } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PasswordQuestion } from '../../app/confirm-password.tsx';
import { sessionQuery, signOut, useUser } from '../../app/session.tsx';
import { TwoFactorSetup } from '../account/two-factor-setup.tsx';
import { Gate } from './gate.tsx';

export function EnrolPage(): ReactNode {
  const queries = useQueryClient();
  const { role } = useUser();
  return (
    <Gate
      title="Set up two-factor sign-in"
      lead={`In live mode, users with the role ${role} sign in with a password and a code.`}
      foot={
        <Anchor component="button" type="button" size="sm" onClick={() => void signOut()}>
          Sign out
        </Anchor>
      }
    >
      <TwoFactorSetup onDone={() => void queries.resetQueries({ queryKey: sessionQuery.queryKey })} />
      <PasswordQuestion />
    </Gate>
  );
}
