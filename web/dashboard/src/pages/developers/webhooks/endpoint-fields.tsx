// The fields of a webhook endpoint in its dialogs: the URL, and the types of messages.
import { Checkbox, Radio, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MessageType } from './webhook-queries.ts';
import classes from './webhooks.module.css';

export interface EndpointValues {
  readonly url: string;
  readonly isAll: boolean;
  /** The chosen types, if not all are sent. */
  readonly chosen: readonly string[];
}

/** The wanted types in their order; undefined for all. */
export const eventsIn = (
  { isAll, chosen }: EndpointValues,
  types: readonly MessageType[],
): readonly MessageType[] | undefined => (isAll ? undefined : types.filter((type) => chosen.includes(type)));

/** True if the fields can be sent. */
export const isComplete = ({ url, isAll, chosen }: EndpointValues): boolean =>
  url.trim() !== '' && (isAll || chosen.length > 0);

interface EndpointFieldsProps {
  readonly types: readonly MessageType[];
  readonly values: EndpointValues;
  readonly onChange: (values: EndpointValues) => void;
}

export function EndpointFields({ types, values, onChange }: EndpointFieldsProps): ReactNode {
  const { url, isAll, chosen } = values;
  return (
    <>
      <TextInput
        label="URL"
        description="Messages are sent to this URL by POST"
        placeholder="https://shop.example/webhooks"
        value={url}
        onChange={({ currentTarget }) => onChange({ ...values, url: currentTarget.value })}
        maxLength={1_024}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <Radio.Group
        label="Messages"
        value={isAll ? 'all' : 'some'}
        onChange={(value) => onChange({ ...values, isAll: value === 'all' })}
      >
        <Stack gap={8} mt={8}>
          <Radio value="all" label="All types about payments, including future ones" />
          <Radio value="some" label="Only these types:" />
        </Stack>
      </Radio.Group>
      {!isAll && (
        <Checkbox.Group
          aria-label="Types of messages"
          value={[...chosen]}
          onChange={(next) => onChange({ ...values, chosen: next })}
        >
          <div className={classes['types']}>
            {types.map((type) => (
              <Checkbox key={type} value={type} label={<code>{type}</code>} />
            ))}
          </div>
        </Checkbox.Group>
      )}
    </>
  );
}
