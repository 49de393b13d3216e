// The conditions of a rule as rows: each question that it asks, with the answers that it accepts.
import { ActionIcon, Button, Menu, MultiSelect, TagsInput } from '@mantine/core';
import { Cross2Icon, PlusIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { CURRENT, decimalText } from '../../../../../../src/domain/currency.ts';
import { nameOfMethod } from '../../../parts/method-text.tsx';
import { minorUnits } from '../../../parts/minor-units.ts';
import { DraftInput } from './draft-input.tsx';
import classes from './routing.module.css';
import type { Routing } from './routing-queries.ts';
import { type AmountRow, LISTS, type ListQuestion, type MetadataRow, type WhenRow } from './rule-rows.ts';
import { INITIATORS, QUESTIONS, type Question } from './rule-words.ts';

interface ConditionFieldsProps {
  /** The rule's name, for people who hear the page. */
  readonly of: string;
  readonly when: WhenRow;
  readonly choices: Routing['choices'];
  readonly onChange: (when: WhenRow) => void;
}

const ALL: readonly Question[] = [...LISTS.slice(0, 1), 'amount', ...LISTS.slice(1), 'metadata'];
/** A condition that was just added. */
const NEW: { readonly [Q in Question]: WhenRow } = {
  currencyCode: { currencyCode: [] },
  amount: { amount: { gte: 0 } },
  methodType: { methodType: [] },
  network: { network: [] },
  initiator: { initiator: [] },
  metadata: { metadata: { '': [] } },
};

function optionsOf(
  question: ListQuestion,
  { methodTypes, networks }: Routing['choices'],
): readonly { readonly value: string; readonly label: string }[] {
  const named = (value: string) => ({ value, label: nameOfMethod(value) });
  switch (question) {
    case 'currencyCode':
      return CURRENT.map((value) => ({ value, label: value }));
    case 'methodType':
      return methodTypes.map(named);
    case 'network':
      return networks.map(named);
    case 'initiator':
      return Object.entries(INITIATORS).map(([value, label]) => ({ value, label }));
    default:
      return question satisfies never;
  }
}

export function ConditionFields({ of, when, choices, onChange }: ConditionFieldsProps): ReactNode {
  const asked = ALL.filter((question) => when[question] !== undefined);
  const free = ALL.filter((question) => when[question] === undefined);
  const without = (question: Question): void => {
    const { [question]: _dropped, ...others } = when;
    onChange(others);
  };
  return (
    <div className={classes['conditions']}>
      {asked.length === 0 && <span className={classes['share']}>Every payment</span>}
      {asked.map((question) => (
        <div key={question} className={classes['condition']}>
          <span className={classes['fieldName']}>{QUESTIONS[question]}</span>
          <Answers of={of} question={question} when={when} choices={choices} onChange={onChange} />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove the condition ${QUESTIONS[question]} of ${of}`}
            onClick={() => without(question)}
          >
            <Cross2Icon />
          </ActionIcon>
        </div>
      ))}
      {free.length > 0 && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<PlusIcon />}
              aria-label={`Add condition to ${of}`}
            >
              Add condition
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {free.map((question) => (
              <Menu.Item key={question} onClick={() => onChange({ ...when, ...NEW[question] })}>
                {QUESTIONS[question]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  );
}

function Answers({
  question,
  of,
  when,
  choices,
  onChange,
}: ConditionFieldsProps & { readonly question: Question }): ReactNode {
  if (question === 'amount') {
    const [only, another] = when.currencyCode ?? [];
    return (
      <AmountFields
        of={of}
        amount={when.amount ?? {}}
        currencyCode={another === undefined ? only : undefined}
        onChange={(amount) => onChange({ ...when, amount })}
      />
    );
  }
  if (question === 'metadata')
    return (
      <MetadataFields of={of} metadata={when.metadata ?? {}} onChange={(metadata) => onChange({ ...when, metadata })} />
    );
  const values = when[question] ?? [];
  return (
    <MultiSelect
      aria-label={`${QUESTIONS[question]} of ${of}`}
      data={[...optionsOf(question, choices)]}
      value={[...values]}
      onChange={(value) => onChange({ ...when, [question]: value })}
      error={values.length === 0 && 'Choose at least one.'}
      searchable
      hidePickedOptions
    />
  );
}

interface AmountFieldsProps {
  readonly of: string;
  readonly amount: AmountRow;
  /** Undefined: the rule names no currency, or several, so that amounts are minor units. */
  readonly currencyCode: string | undefined;
  readonly onChange: (amount: AmountRow) => void;
}

function AmountFields({ of, amount, currencyCode, onChange }: AmountFieldsProps): ReactNode {
  const unit = currencyCode ?? 'minor units';
  const read = (text: string): { readonly value: number | undefined } | { readonly wrong: string } => {
    if (text.trim() === '') return { value: undefined };
    const value = currencyCode === undefined ? wholeNumber(text) : minorUnits(text, currencyCode);
    return value === undefined ? { wrong: `Enter an amount in ${unit}.` } : { value };
  };
  const textOf = (value: number | undefined): string =>
    value === undefined ? '' : currencyCode === undefined ? String(value) : decimalText(value, currencyCode);
  const set = (end: 'gte' | 'lt', value: number | undefined): void => {
    const { [end]: _before, ...other } = amount;
    onChange(value === undefined ? other : { ...other, [end]: value });
  };
  return (
    <div className={classes['amounts']}>
      {(['gte', 'lt'] as const).map((end) => (
        <DraftInput
          key={end}
          aria-label={`${end === 'gte' ? 'Amount from' : 'Amount below'} of ${of}, ${unit}`}
          placeholder={end === 'gte' ? 'from any' : 'without an end'}
          leftSection={<span className={classes['share']}>{end === 'gte' ? 'from' : 'below'}</span>}
          leftSectionWidth={52}
          inputMode="decimal"
          value={amount[end]}
          textOf={textOf}
          read={read}
          onValue={(value) => set(end, value)}
        />
      ))}
      <span className={classes['share']}>{unit}</span>
    </div>
  );
}

const wholeNumber = (text: string): number | undefined =>
  /^\d{1,15}$/.test(text.trim()) ? Number(text.trim()) : undefined;

interface MetadataFieldsProps {
  readonly of: string;
  readonly metadata: MetadataRow;
  readonly onChange: (metadata: MetadataRow) => void;
}

function MetadataFields({ of, metadata, onChange }: MetadataFieldsProps): ReactNode {
  const entries = Object.entries(metadata);
  const replace = (place: number, entry: readonly [string, readonly string[]]): void =>
    onChange(Object.fromEntries(entries.map((one, at) => (at === place ? entry : one))));
  return (
    <div className={classes['metadata']}>
      {entries.map(([key, values], place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a key changes while it is typed
        <div key={place} className={classes['pair']}>
          <DraftInput
            aria-label={`Metadata key ${place + 1} of ${of}`}
            placeholder="key"
            value={key}
            textOf={(value) => value}
            read={(text) =>
              text === ''
                ? { wrong: 'Enter the key.' }
                : text !== key && Object.hasOwn(metadata, text)
                  ? { wrong: 'There is this key already.' }
                  : { value: text }
            }
            onValue={(value) => replace(place, [value, values])}
          />
          <TagsInput
            aria-label={`Values of metadata ${key} of ${of}`}
            placeholder="one of these texts"
            value={[...values]}
            onChange={(value) => replace(place, [key, value])}
            error={values.length === 0 && 'Enter a value, then press Enter.'}
          />
        </div>
      ))}
      {!Object.hasOwn(metadata, '') && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<PlusIcon />}
          aria-label={`Add key to the metadata of ${of}`}
          onClick={() => onChange({ ...metadata, '': [] })}
        >
          Add key
        </Button>
      )}
    </div>
  );
}
