// The top bar's state of the live stream: connected, or lost since a time.
import { useNetwork } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { whenText } from '../parts/when.tsx';
import { businessNow } from './business-time.ts';
import { useLiveState } from './live.ts';
import classes from './live-status.module.css';

/** A stream that is cut is usually back after 2 s, so a shorter loss is not shown. */
const QUIET_MS = 3_000;

export function LiveStatus(): ReactNode {
  const state = useLiveState();
  const { online } = useNetwork();
  const lostAt = useLostAt(state === 'lost');
  const tone = !online || lostAt !== undefined ? 'lost' : state === 'connecting' ? 'connecting' : 'live';
  return (
    <span className={classes['status']} data-tone={tone} role="status">
      <span className={classes['dot']} aria-hidden />
      <span className={classes['words']}>
        {wordsOf(online, lostAt, state === 'connecting')}
        {online && lostAt !== undefined && ` since ${whenText({ ms: lostAt, as: 'time' })}`}
      </span>
      {tone === 'lost' && <span className="sr-only">This page may be out of date. It catches up automatically.</span>}
    </span>
  );
}

function wordsOf(isOnline: boolean, lostAt: number | undefined, isConnecting: boolean): string {
  if (!isOnline) return 'Offline';
  if (lostAt !== undefined) return 'Reconnecting';
  return isConnecting ? 'Connecting' : 'Live';
}

/** The time at which the stream was lost, in ms, or undefined if it is connected or was lost a moment ago. */
function useLostAt(isLost: boolean): number | undefined {
  const [lostAt, setLostAt] = useState<number>();
  useEffect(() => {
    if (!isLost) return;
    const at = businessNow();
    const timer = setTimeout(() => setLostAt(at), QUIET_MS);
    return () => {
      clearTimeout(timer);
      setLostAt(undefined);
    };
  }, [isLost]);
  return lostAt;
}
