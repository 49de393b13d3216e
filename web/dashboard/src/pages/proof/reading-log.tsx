// A button whose work reads the whole log: its progress, a way to stop it, and its error.
import { Progress as Bar, Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { FaultLine } from '../../parts/fault-line.tsx';
import classes from './proof.module.css';
import type { Progress } from './proof-queries.ts';

interface ReadingLogProps {
  /** The words of the button. */
  readonly label: string;
  /** What is done, for people who hear the page: "Comparing the log". */
  readonly doing: string;
  readonly isDisabled?: boolean;
  readonly variant?: 'filled' | 'default';
  readonly work: (onProgress: (progress: Progress) => void, signal: AbortSignal) => Promise<void>;
}

const number = new Intl.NumberFormat();

export function ReadingLog({ label, doing, isDisabled = false, variant = 'filled', work }: ReadingLogProps): ReactNode {
  const [progress, setProgress] = useState<Progress>();
  const [fault, setFault] = useState<Error>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (): Promise<void> => {
    const over = new AbortController();
    running.current = over;
    setFault(undefined);
    setProgress({ kind: 'progress', events: 0, share: 0 });
    try {
      await work(setProgress, over.signal);
    } catch (thrown) {
      if (!over.signal.aborted) setFault(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
    setProgress(undefined);
  };
  return (
    <>
      {progress === undefined ? (
        <Button variant={variant} disabled={isDisabled} onClick={() => void start()}>
          {label}
        </Button>
      ) : (
        <div className={classes['reading']}>
          <div className={classes['line']}>
            <span>
              {doing}: {number.format(progress.events)} events, {Math.round(progress.share * 100)}%
            </span>
            <Button variant="default" size="xs" onClick={() => running.current?.abort()}>
              Stop
            </Button>
          </div>
          <Bar value={progress.share * 100} radius="xl" aria-label={doing} />
        </div>
      )}
      <FaultLine fault={fault} />
    </>
  );
}
