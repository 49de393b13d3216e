// A text that can be copied: an id, a key, a command.
import { UnstyledButton } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { CheckIcon, CopyIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import classes from './copy.module.css';

interface CopyTextProps {
  /** The text that is copied. */
  readonly text: string;
  /** The shown words, where they differ. They must be a part of the text. */
  readonly children?: ReactNode;
  /** A shown text that differs from the whole: an id without its middle. */
  readonly short?: string | undefined;
  /** The text's own name, for people who hear the page: "payment id". */
  readonly label?: string;
}

const SHOWN_MS = 1_500;

export function CopyText({ text, short, children = short ?? text, label }: CopyTextProps): ReactNode {
  // The shown text is a part of the name: people who speak to their browser say what they see.
  const name = [label, text, short].filter((part) => part !== undefined).join(' ');
  const { copy, copied } = useClipboard({ timeout: SHOWN_MS });
  return (
    <UnstyledButton
      className={classes['copy']}
      onClick={() => copy(text)}
      title={text}
      aria-label={copied ? `Copied ${name}` : `Copy ${name}`}
    >
      <span className={classes['text']}>{children}</span>
      {copied ? (
        <CheckIcon className={classes['done']} aria-hidden />
      ) : (
        <CopyIcon className={classes['icon']} aria-hidden />
      )}
    </UnstyledButton>
  );
}
