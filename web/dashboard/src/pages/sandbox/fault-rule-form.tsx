// The form of a custom rule: its calls, its fault, the phase, and how often it applies.
import { Button, NumberInput, Select } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { type FaultKinds, type FaultRule, operationWords } from './fault-queries.ts';
import classes from './sandbox.module.css';

interface FaultRuleFormProps {
  readonly kinds: FaultKinds;
  readonly isBusy: boolean;
  readonly onAdd: (rule: FaultRule) => void;
}

const ALL = 100;

export function FaultRuleForm({ kinds, isBusy, onAdd }: FaultRuleFormProps): ReactNode {
  const [operation, setOperation] = useState('capture');
  const [name, setName] = useState('429');
  const [phase, setPhase] = useState('before_effect');
  const [amount, setAmount] = useState<number | ''>('');
  const [percent, setPercent] = useState<number | ''>(ALL);
  const fault = kinds.faults.find((one) => one.name === name);
  const phases = fault?.phases ?? [];
  const inPhase = phases.includes(phase) ? phase : (phases[0] ?? '');
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const chance = percent === '' || percent >= ALL ? {} : { chance: percent / ALL };
    onAdd({ match: { operation, ...(amount !== '' && { amount }), ...chance }, do: { phase: inPhase, fault: name } });
  };
  return (
    <form className={classes['ruleForm']} onSubmit={add}>
      <Select
        label="Calls"
        data={kinds.operations.map((value) => ({ value, label: operationWords(value) }))}
        value={operation}
        onChange={(next) => setOperation(next ?? operation)}
      />
      <Select
        label="Fault"
        data={kinds.faults.map((one) => one.name)}
        value={name}
        onChange={(next) => setName(next ?? name)}
        searchable
      />
      <Select label="Phase" data={[...phases]} value={inPhase} onChange={(next) => setPhase(next ?? inPhase)} />
      <NumberInput
        label="Amount (minor units)"
        placeholder="any"
        min={0}
        value={amount}
        onChange={(next) => setAmount(typeof next === 'number' ? next : '')}
      />
      <NumberInput
        label="Chance"
        suffix="%"
        min={1}
        max={ALL}
        value={percent}
        onChange={(next) => setPercent(typeof next === 'number' ? next : '')}
      />
      <Button type="submit" variant="default" loading={isBusy}>
        Add rule
      </Button>
      <p className={classes['faultDoes']}>{fault?.does}</p>
    </form>
  );
}
