// A text to copy now, such as a secret that is shown once, in a frame with a button.
import { Button, CopyButton } from '@mantine/core';
import { CheckIcon, CopyIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import classes from './copied-text.module.css';

interface CopiedTextProps {
  /** The text's own name, for people who hear the page: "API key". */
  readonly label: string;
  readonly text: string;
  /** Smaller, for several lines. */
  readonly isCode?: boolean;
}

export const CopiedText = ({ label, text, isCode = false }: CopiedTextProps): ReactNode => (
  <div className={classes['copied']} data-code={isCode || undefined}>
    <pre>{text}</pre>
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button
          size="compact-sm"
          variant="default"
          onClick={copy}
          aria-label={copied ? `Copied the ${label}` : `Copy the ${label}`}
          leftSection={copied ? <CheckIcon /> : <CopyIcon />}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      )}
    </CopyButton>
  </div>
);
