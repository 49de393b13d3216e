// A button that copies the text next to it, such as a command or a stored event.
import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { CheckIcon, CopyIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';

interface CopyButtonProps {
  readonly text: string;
  readonly words?: string;
}

export function CopyButton({ text, words = 'Copy' }: CopyButtonProps): ReactNode {
  const { copy, copied } = useClipboard();
  return (
    <Button
      variant="default"
      size="compact-sm"
      leftSection={copied ? <CheckIcon aria-hidden /> : <CopyIcon aria-hidden />}
      onClick={() => copy(text)}
    >
      {copied ? 'Copied' : words}
    </Button>
  );
}
