// Where the payments of a rule go: accounts by weight, and those that are asked after them.
import { ActionIcon, Button, MultiSelect, NativeSelect } from '@mantine/core';
import { Cross2Icon, PlusIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { DraftInput } from './draft-input.tsx';
import classes from './routing.module.css';
import type { TargetRow } from './rule-rows.ts';
import { percentOf } from './rule-words.ts';

interface TargetFieldsProps {
  /** The rule's name, for people who hear the page. */
  readonly of: string;
  readonly target: TargetRow;
  /** The names of the account's connections. */
  readonly names: readonly string[];
  readonly onChange: (target: TargetRow) => void;
}

const MOST_WEIGHT = 1_000_000;

const weightIn = (text: string): { readonly value: number } | { readonly wrong: string } =>
  /^\d{1,7}$/.test(text.trim()) && Number(text) <= MOST_WEIGHT
    ? { value: Number(text) }
    : { wrong: 'Enter a whole number.' };

export function TargetFields({ of, target, names, onChange }: TargetFieldsProps): ReactNode {
  const { use, then } = target;
  const replace = (place: number, row: TargetRow['use'][number]): void =>
    onChange({ ...target, use: use.map((one, at) => (at === place ? row : one)) });
  const free = names.filter((name) => use.every(({ connection }) => connection !== name));
  const [next] = free;
  return (
    <>
      <div className={classes['field']}>
        <span className={classes['fieldName']}>Send to</span>
        <div className={classes['uses']}>
          {use.map((row, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an account may be chosen twice for a moment
            <div key={place} className={classes['use']}>
              <NativeSelect
                aria-label={`Account ${place + 1} of ${of}`}
                value={row.connection}
                data={names.includes(row.connection) ? [...names] : [row.connection, ...names]}
                onChange={({ currentTarget }) => replace(place, { ...row, connection: currentTarget.value })}
              />
              <DraftInput
                aria-label={`Weight of ${row.connection} in ${of}`}
                inputMode="numeric"
                value={row.weight}
                textOf={String}
                read={weightIn}
                onValue={(weight) => replace(place, { ...row, weight })}
                className={classes['weight'] ?? ''}
              />
              <span className={classes['share']}>{percentOf(row.weight, use)}</span>
              {use.length > 1 && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove ${row.connection} from ${of}`}
                  onClick={() => onChange({ ...target, use: use.filter((_, at) => at !== place) })}
                >
                  <Cross2Icon />
                </ActionIcon>
              )}
            </div>
          ))}
          {next !== undefined && (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<PlusIcon />}
              aria-label={`Add account to ${of}`}
              onClick={() => onChange({ ...target, use: [...use, { connection: next, weight: 0 }] })}
            >
              Add account
            </Button>
          )}
        </div>
      </div>
      <div className={classes['field']}>
        <span className={classes['fieldName']}>Then ask</span>
        <MultiSelect
          aria-label={`Accounts asked after a refusal by ${of}`}
          placeholder={then.length === 0 ? 'No other account' : ''}
          data={[...new Set([...names, ...then])]}
          value={[...then]}
          onChange={(value) => onChange({ ...target, then: value })}
        />
      </div>
    </>
  );
}
