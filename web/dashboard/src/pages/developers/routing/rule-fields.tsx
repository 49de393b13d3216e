// One rule as a row of fields: its name, its conditions, and where its payments go; or its JSON, if rows cannot show
// it.
import { ActionIcon } from '@mantine/core';
import { ArrowDownIcon, ArrowUpIcon, TrashIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { visibleJson } from '../../../parts/visible-json.ts';
import { ConditionFields } from './condition-fields.tsx';
import { DraftInput } from './draft-input.tsx';
import classes from './routing.module.css';
import type { Routing } from './routing-queries.ts';
import type { RuleRow, ShownFile } from './rule-rows.ts';
import { TargetFields } from './target-fields.tsx';

interface RuleFieldsProps {
  readonly rule: ShownFile['rules'][number];
  /** From 0. */
  readonly place: number;
  readonly routing: Routing;
  readonly onChange: (row: RuleRow) => void;
  /** Undefined at an end of the list. */
  readonly onMove: { readonly up: (() => void) | undefined; readonly down: (() => void) | undefined };
  readonly onRemove: () => void;
}

const nameIn = (text: string): { readonly value: string } | { readonly wrong: string } =>
  text.trim() === '' ? { wrong: 'Enter a name.' } : { value: text };

export function RuleFields({
  rule: { json, row },
  place,
  routing,
  onChange,
  onMove,
  onRemove,
}: RuleFieldsProps): ReactNode {
  const of = row === undefined || row.name === '' ? `rule ${place + 1}` : row.name;
  const names = routing.connections.map(({ name }) => name);
  return (
    <li className={classes['rule']} aria-label={of}>
      <div className={classes['ruleHead']}>
        <span className={classes['number']}>{place + 1}</span>
        {row === undefined ? (
          <span className={classes['share']}>A rule that rows cannot show</span>
        ) : (
          <DraftInput
            aria-label={`Name of rule ${place + 1}`}
            value={row.name}
            textOf={(name) => name}
            read={nameIn}
            onValue={(name) => onChange({ ...row, name })}
            maxLength={64}
            className={classes['ruleName'] ?? ''}
          />
        )}
        <ActionIcon.Group>
          <Move label={`Move ${of} up`} icon={<ArrowUpIcon />} onMove={onMove.up} />
          <Move label={`Move ${of} down`} icon={<ArrowDownIcon />} onMove={onMove.down} />
          <ActionIcon variant="default" aria-label={`Remove ${of}`} onClick={onRemove}>
            <TrashIcon />
          </ActionIcon>
        </ActionIcon.Group>
      </div>
      {row === undefined ? (
        <>
          <p className={classes['share']}>It stays as it is. Change it in the JSON tab.</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it */}
          <pre className={classes['json']} tabIndex={0}>
            {visibleJson(JSON.stringify(json, null, 2))}
          </pre>
        </>
      ) : (
        <>
          <div className={classes['field']}>
            <span className={classes['fieldName']}>If</span>
            <ConditionFields
              of={of}
              when={row.when}
              choices={routing.choices}
              onChange={(when) => onChange({ ...row, when })}
            />
          </div>
          <TargetFields
            of={of}
            target={row}
            names={names}
            onChange={({ use, then }) => onChange({ ...row, use, then })}
          />
        </>
      )}
    </li>
  );
}

interface MoveProps {
  readonly label: string;
  readonly icon: ReactNode;
  readonly onMove: (() => void) | undefined;
}

const Move = ({ label, icon, onMove }: MoveProps): ReactNode => (
  <ActionIcon variant="default" aria-label={label} disabled={onMove === undefined} onClick={() => onMove?.()}>
    {icon}
  </ActionIcon>
);
