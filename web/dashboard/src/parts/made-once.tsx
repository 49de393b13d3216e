// A dialog that creates something with a secret: first its form, then the secret, which is shown once.
import { Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';

interface MadeOnceProps<Made> {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The title of the form, and the title of the created thing. */
  readonly title: (made: Made | undefined) => ReactNode;
  readonly size: number;
  readonly form: (close: () => void, onMade: (made: Made) => void) => ReactNode;
  readonly secret: (made: Made, close: () => void) => ReactNode;
}

/** A click outside closes only the form, because the secret cannot be shown again. */
export function MadeOnce<Made>({ isOpen, onClose, title, size, form, secret }: MadeOnceProps<Made>): ReactNode {
  const [made, setMade] = useState<Made>();
  const close = (): void => {
    onClose();
    setMade(undefined);
  };
  return (
    <Modal opened={isOpen} onClose={close} title={title(made)} size={size} closeOnClickOutside={made === undefined}>
      {made === undefined ? form(close, (one) => setMade(() => one)) : secret(made, close)}
    </Modal>
  );
}
