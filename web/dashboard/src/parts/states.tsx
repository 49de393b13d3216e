// The states of a place without data: loading, empty, failed.
import { Button, Loader } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { ApiFault } from '../app/api.ts';
import { CopyText } from './copy.tsx';
import classes from './states.module.css';

/** For a page whose shape is not known yet; a table brings its own skeleton. `height` in px is that of what comes. */
export const Loading = ({
  height = 160,
  what = 'Loading',
}: {
  readonly height?: number;
  readonly what?: string;
}): ReactNode => (
  <div className={classes['state']} style={{ minHeight: height }} role="status">
    <Loader size="sm" role="img" aria-label={what} />
  </div>
);

interface EmptyProps {
  readonly title: string;
  /** How the list gets its first row. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export const Empty = ({ title, children, action }: EmptyProps): ReactNode => (
  <div className={classes['state']}>
    <p className={classes['title']}>{title}</p>
    {children !== undefined && <div className={classes['words']}>{children}</div>}
    {action}
  </div>
);

/** How often something that may pass is tried again, ms. */
const TRY_AGAIN_MS = 5_000;

interface FailedProps {
  readonly fault: Error;
  readonly onRetry?: () => void;
  /** True if a user started what failed: only the user starts it again. */
  readonly isByHand?: boolean;
}

/**
 * A service that does not respond, or whose store is unavailable, is asked again every few seconds. What does not exist
 * is not asked for again.
 */
export function Failed({ fault, onRetry, isByHand = false }: FailedProps): ReactNode {
  const id = fault instanceof ApiFault ? fault.diagnosticsId : '';
  const retry = useRef(onRetry);
  retry.current = onRetry;
  const isMissing = fault instanceof ApiFault && fault.status === 404;
  const isPassing = fault instanceof ApiFault && (fault.status === 0 || fault.status === 503);
  const isUnavailable = isPassing && onRetry !== undefined && !isByHand;
  useEffect(() => {
    if (!isUnavailable) return;
    const timer = setInterval(() => {
      if (!document.hidden) retry.current?.();
    }, TRY_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isUnavailable]);
  return (
    <div className={classes['state']} role="alert">
      <p className={classes['title']}>{isMissing ? 'Not found' : 'This did not work'}</p>
      <div className={classes['words']}>
        {fault.message}
        {isUnavailable && ' The page tries again every few seconds.'}
      </div>
      {id !== '' && (
        <div className={classes['id']}>
          Diagnostics id <CopyText text={id} />
        </div>
      )}
      {onRetry !== undefined && !isMissing && (
        <Button variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
