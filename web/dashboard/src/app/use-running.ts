// The one action of a form: whether it is running, and its error.
import { type FormEvent, useState } from 'react';

interface Running {
  readonly isRunning: boolean;
  readonly fault: Error | undefined;
  /** Runs the action of a form and keeps its error. */
  readonly run: (event: FormEvent) => void;
}

export function useRunning(action: () => Promise<void>): Running {
  const [isRunning, setRunning] = useState(false);
  const [fault, setFault] = useState<Error>();
  const run = (event: FormEvent): void => {
    event.preventDefault();
    setRunning(true);
    setFault(undefined);
    action()
      .catch((thrown: unknown) => setFault(thrown instanceof Error ? thrown : new Error(String(thrown))))
      .finally(() => setRunning(false));
  };
  return { isRunning, fault, run };
}
