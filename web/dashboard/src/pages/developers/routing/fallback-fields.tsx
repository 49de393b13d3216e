// When the next account of a rule is asked: after which ends of a request, after which refusals never, and how many
// accounts in all.
import { Checkbox, MultiSelect, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './routing.module.css';
import { ENDS, type FallbackRow } from './rule-rows.ts';
import { END_WORDS, refusalWords } from './rule-words.ts';

interface FallbackFieldsProps {
  readonly fallback: FallbackRow;
  /** The codes of refusals. */
  readonly refusals: readonly string[];
  readonly onChange: (fallback: FallbackRow) => void;
}

const ATTEMPTS = ['1', '2', '3', '4', '5'];

export const FallbackFields = ({ fallback, refusals, onChange }: FallbackFieldsProps): ReactNode => (
  <section className={classes['rule']} aria-label="After a refusal">
    <h3>After a refusal</h3>
    <div className={classes['field']}>
      <span className={classes['fieldName']}>Ask again after</span>
      <Checkbox.Group
        aria-label="Ask the next account after"
        value={[...fallback.fallbackOn]}
        onChange={(value) => onChange({ ...fallback, fallbackOn: ENDS.filter((end) => value.includes(end)) })}
      >
        <div className={classes['ends']}>
          {ENDS.map((end) => (
            <Checkbox key={end} value={end} label={END_WORDS[end] ?? end} />
          ))}
        </div>
      </Checkbox.Group>
    </div>
    <div className={classes['field']}>
      <span className={classes['fieldName']}>Never after</span>
      <MultiSelect
        aria-label="Refusals after which no other account is asked"
        placeholder={fallback.never.length === 0 ? 'No refusal' : ''}
        data={[...new Set([...refusals, ...fallback.never])].map((value) => ({ value, label: refusalWords(value) }))}
        value={[...fallback.never]}
        onChange={(never) => onChange({ ...fallback, never })}
        searchable
        hidePickedOptions
      />
    </div>
    <div className={classes['field']}>
      <span className={classes['fieldName']}>At most</span>
      <NativeSelect
        aria-label="Accounts asked for one payment"
        value={String(fallback.mostAttempts)}
        data={[...new Set([...ATTEMPTS, String(fallback.mostAttempts)])].map((value) => ({
          value,
          label: value === '1' ? '1 account' : `${value} accounts`,
        }))}
        onChange={({ currentTarget }) => onChange({ ...fallback, mostAttempts: Number(currentTarget.value) })}
        w={140}
      />
    </div>
  </section>
);
