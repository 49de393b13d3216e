// Says that the live stream is lost: what is shown may be old until it is back.
import { type ReactNode, useEffect, useState } from 'react';
import classes from './connection-note.module.css';
import { useLiveState } from './live.ts';

/** A stream that is cut is back after 2 s as a rule: nobody has to read of it. */
const QUIET_MS = 3_000;

/** Stands once, in the frame; over the page, so that nothing moves. */
export function ConnectionNote(): ReactNode {
  const isLost = useLiveState() === 'lost';
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isLost) return;
    const timer = setTimeout(() => setShown(true), QUIET_MS);
    return () => {
      clearTimeout(timer);
      setShown(false);
    };
  }, [isLost]);
  return (
    <div role="status" className={classes['place']}>
      {isShown && (
        <p className={classes['note']}>
          <strong>Not connected.</strong> What you see may be old. The page catches up by itself.
        </p>
      )}
    </div>
  );
}
