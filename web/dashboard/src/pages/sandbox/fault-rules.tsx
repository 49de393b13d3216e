// The rules of the account that no switch stands for.
import { ActionIcon } from '@mantine/core';
import { Cross2Icon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { appliedWords, type FaultRule, type Faults, operationWords } from './fault-queries.ts';
import classes from './sandbox.module.css';

export interface FaultRulesProps {
  readonly rules: readonly FaultRule[];
  readonly countOf: (rule: FaultRule) => Faults['counts'][number] | undefined;
  readonly onRemove: (rule: FaultRule) => void;
}

export function FaultRules({ rules, countOf, onRemove }: FaultRulesProps): ReactNode {
  if (rules.length === 0) return null;
  return (
    <ul className={classes['rules']}>
      {rules.map((rule, at) => (
        // Two rules may be equal: their order is what tells them apart.
        // biome-ignore lint/suspicious/noArrayIndexKey: a line holds no state of its own
        <li key={at}>
          <span>
            {operationWords(rule.match.operation)} <code>{membersIn(rule.match, 'operation')}</code>
            <code>{membersIn(rule.do)}</code>
          </span>
          <span className={classes['struck']}>{appliedWords(countOf(rule))}</span>
          <ActionIcon variant="subtle" color="gray" aria-label="Remove the rule" onClick={() => onRemove(rule)}>
            <Cross2Icon aria-hidden />
          </ActionIcon>
        </li>
      ))}
    </ul>
  );
}

const membersIn = (part: object, but = ''): string =>
  Object.entries(part)
    .filter(([name]) => name !== but)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
