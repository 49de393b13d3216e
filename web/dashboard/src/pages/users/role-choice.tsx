// The choice of a role, each with what it may do.
import { Radio, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Role } from '../../app/session.tsx';
import { ROLE_WORDS } from './role-words.ts';

const ROLES = ['owner', 'developer', 'support', 'auditor'] as const satisfies readonly Role[];

interface RoleChoiceProps {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}

export const RoleChoice = ({ value, onChange }: RoleChoiceProps): ReactNode => (
  <Radio.Group
    label="Role"
    value={value}
    onChange={(chosen) => onChange(ROLES.find((role) => role === chosen) ?? value)}
  >
    <Stack gap="sm" mt="xs">
      {ROLES.map((role) => (
        <Radio key={role} value={role} label={ROLE_WORDS[role].name} description={ROLE_WORDS[role].does} />
      ))}
    </Stack>
  </Radio.Group>
);
