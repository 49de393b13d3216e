// A field that keeps what is typed until it is left, even while it is not a value yet: an empty number, half an amount.
import { TextInput, type TextInputProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';

interface DraftInputProps<Value> extends Omit<TextInputProps, 'value' | 'onChange' | 'onBlur' | 'error'> {
  readonly value: Value;
  readonly textOf: (value: Value) => string;
  /** The value of a text, or why it is none. */
  readonly read: (text: string) => { readonly value: Value } | { readonly wrong: string };
  readonly onValue: (value: Value) => void;
}

export function DraftInput<Value>({ value, textOf, read, onValue, ...props }: DraftInputProps<Value>): ReactNode {
  const [draft, setDraft] = useState<string>();
  const text = draft ?? textOf(value);
  const now = read(text);
  return (
    <TextInput
      autoComplete="off"
      spellCheck={false}
      {...props}
      value={text}
      error={'wrong' in now ? now.wrong : undefined}
      onChange={({ currentTarget }) => {
        setDraft(currentTarget.value);
        const typed = read(currentTarget.value);
        if ('value' in typed) onValue(typed.value);
      }}
      onBlur={() => setDraft(undefined)}
    />
  );
}
