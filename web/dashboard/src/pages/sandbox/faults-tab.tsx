// Injected faults: switches for the failures worth testing, and custom rules for the rest.
import { ActionIcon, Button } from '@mantine/core';
import { Cross2Icon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FaultLine } from '../../parts/fault-line.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import {
  appliedWords,
  type FaultRule,
  type Faults,
  faultKindsQuery,
  faultsQuery,
  operationWords,
  useSetFaults,
} from './fault-queries.ts';
import { FaultRuleForm } from './fault-rule-form.tsx';
import { isOf, SCENARIOS } from './fault-scenarios.ts';
import { FaultSwitch } from './fault-switch.tsx';
import classes from './sandbox.module.css';
import type { OfSandbox } from './sandbox-search.ts';

export function FaultsTab({ connectionId }: OfSandbox): ReactNode {
  const faults = useQuery(faultsQuery(connectionId));
  const kinds = useQuery(faultKindsQuery);
  const set = useSetFaults(connectionId);
  const fault = faults.error ?? kinds.error;
  if (faults.data === undefined || kinds.data === undefined)
    return fault === null ? <Loading height={480} /> : <Failed fault={fault} onRetry={() => void faults.refetch()} />;
  const { rules, counts, seed } = faults.data;
  const isOn = (rule: FaultRule): boolean => counts[rules.indexOf(rule)]?.isUsedUp !== true;
  const on = rules.filter(isOn).length;
  // The sandbox counts from 0 again after each change, so a rule that is used up would begin again.
  const change = (next: readonly FaultRule[]): void => set.mutate({ rules: next.filter(isOn), seed });
  const custom = rules.filter((rule) => !SCENARIOS.some((scenario) => isOf(scenario, rule)));
  return (
    <>
      <div className={classes['tools']}>
        <p className={classes['hint']}>
          {rules.length === 0
            ? 'No faults are injected. Test cards still fail as listed.'
            : `${on === 0 ? 'No rule is on' : on === 1 ? '1 rule is on' : `${on} rules are on`}${on === rules.length ? '' : `, ${rules.length - on} used up`}. The first matching rule applies.`}
        </p>
        <Button variant="default" disabled={rules.length === 0} loading={set.isPending} onClick={() => change([])}>
          Clear all
        </Button>
      </div>
      <FaultLine fault={set.error} />
      <ul className={classes['switches']}>
        {SCENARIOS.map((scenario) => {
          const own = rules.findIndex((rule) => isOf(scenario, rule) && isOn(rule));
          const place = own === -1 ? rules.findLastIndex((rule) => isOf(scenario, rule)) : own;
          return (
            <FaultSwitch
              key={scenario.title}
              scenario={scenario}
              operations={kinds.data.operations}
              rule={rules[own]}
              count={counts[place]}
              isBusy={set.isPending}
              onChange={(rule) =>
                change([...rules.filter((_, at) => at !== place), ...(rule === undefined ? [] : [rule])])
              }
            />
          );
        })}
      </ul>
      <section className={classes['section']}>
        <h2>Custom rules</h2>
        <FaultRules
          rules={custom}
          countOf={(rule) => counts[rules.indexOf(rule)]}
          onRemove={(rule) => change(rules.filter((one) => one !== rule))}
        />
        <FaultRuleForm kinds={kinds.data} isBusy={set.isPending} onAdd={(rule) => change([...rules, rule])} />
      </section>
    </>
  );
}

interface FaultRulesProps {
  readonly rules: readonly FaultRule[];
  readonly countOf: (rule: FaultRule) => Faults['counts'][number] | undefined;
  readonly onRemove: (rule: FaultRule) => void;
}

function FaultRules({ rules, countOf, onRemove }: FaultRulesProps): ReactNode {
  if (rules.length === 0) return null;
  return (
    <ul className={classes['rules']}>
      {rules.map((rule, at) => (
        // Two rules may be equal. Only their order distinguishes them.
        // biome-ignore lint/suspicious/noArrayIndexKey: a line holds no state of its own
        <li key={at}>
          <span>
            {operationWords(rule.match.operation)} <code>{membersIn(rule.match, 'operation')}</code>
            <code>{membersIn(rule.do)}</code>
          </span>
          <span className={classes['applied']}>{appliedWords(countOf(rule))}</span>
          <ActionIcon variant="subtle" color="gray" aria-label="Remove rule" onClick={() => onRemove(rule)}>
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
