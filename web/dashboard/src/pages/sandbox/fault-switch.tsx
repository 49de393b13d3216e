// The switch of one failure, with its parameters: which calls, how often, how late.
import { NumberInput, Select, Switch } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { appliedWords, type FaultRule, type Faults, operationWords } from './fault-queries.ts';
import type { FaultScenario } from './fault-scenarios.ts';
import classes from './sandbox.module.css';

interface FaultSwitchProps {
  readonly scenario: FaultScenario;
  readonly operations: readonly string[];
  /** Where it is on. */
  readonly rule: FaultRule | undefined;
  readonly count: Faults['counts'][number] | undefined;
  readonly isBusy: boolean;
  /** Undefined turns it off. */
  readonly onChange: (rule: FaultRule | undefined) => void;
}

interface Parameters {
  readonly operation: string;
  /** '' is always. */
  readonly times: number | '';
  readonly delayMs: number | undefined;
}

export function FaultSwitch({ scenario, operations, rule, count, isBusy, onChange }: FaultSwitchProps): ReactNode {
  const { title, effect } = scenario;
  const [chosen, setChosen] = useState<Parameters>({
    operation: scenario.operation,
    times: 1,
    delayMs: scenario.delayMs,
  });
  const shown = rule === undefined ? chosen : parametersOf(rule, scenario);
  const set = (next: Parameters): void => {
    setChosen(next);
    if (rule !== undefined) onChange(ruleOf(scenario, next));
  };
  return (
    <li data-on={rule !== undefined}>
      <Switch
        className={classes['switch'] ?? ''}
        label={title}
        description={effect}
        checked={rule !== undefined}
        disabled={isBusy}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? ruleOf(scenario, shown) : undefined)}
      />
      <div className={classes['parameters']}>
        <span className={classes['applied']}>{appliedWords(count)}</span>
        <Select
          aria-label={`${title}: which calls`}
          data={operations.map((value) => ({ value, label: operationWords(value) }))}
          value={shown.operation}
          onChange={(operation) => set({ ...shown, operation: operation ?? scenario.operation })}
          w={148}
        />
        <NumberInput
          aria-label={`${title}: how often`}
          placeholder="always"
          suffix=" ×"
          min={1}
          max={1_000_000}
          value={shown.times}
          onChange={(times) => set({ ...shown, times: typeof times === 'number' ? times : '' })}
          w={92}
        />
        {shown.delayMs !== undefined && (
          <NumberInput
            aria-label={`${title}: how late`}
            suffix=" s"
            min={1}
            max={86_400}
            value={shown.delayMs / 1_000}
            onChange={(seconds) =>
              set({ ...shown, delayMs: typeof seconds === 'number' ? seconds * 1_000 : shown.delayMs })
            }
            w={92}
          />
        )}
      </div>
    </li>
  );
}

const parametersOf = (rule: FaultRule, { delayMs }: FaultScenario): Parameters => ({
  operation: rule.match.operation,
  times: rule.do.times ?? '',
  delayMs: rule.do.delayMs ?? delayMs,
});

const ruleOf = ({ phase, fault }: FaultScenario, { operation, times, delayMs }: Parameters): FaultRule => ({
  match: { operation },
  do: { phase, fault, ...(times !== '' && { times }), ...(delayMs !== undefined && { delayMs }) },
});
