// The state at this moment: that nothing needs the user, and the lag of the read models.
import { Skeleton } from '@mantine/core';
import { CheckCircledIcon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { useNeeds } from '../../app/needs.ts';
import { useMay } from '../../app/session.tsx';
import { PathLink } from '../../parts/path-link.tsx';
import { type Overview, secondsText } from './figures.ts';
import classes from './overview.module.css';

/** A lag of a few seconds is not reported. */
const LATE_SECONDS = 5;

export function NowStrip({ overview }: { readonly overview: Overview | undefined }): ReactNode {
  const maySeeOperations = useMay('owner', 'developer');
  const needs = useNeeds();
  if (overview === undefined) return <Skeleton height={44} radius="md" mb={16} />;
  const { lag, holes, hasMoreHoles, notMoving } = overview;
  const behind = (lag ?? []).toSorted((a, b) => b.seconds - a.seconds)[0];
  const isLate = lag === null || (behind !== undefined && behind.seconds > LATE_SECONDS);
  const lagWords =
    lag === null
      ? 'Read model lag unknown'
      : behind === undefined || behind.seconds === 0
        ? 'Read models are up to date'
        : `${behind.name} is ${secondsText(behind.seconds)} behind the log`;
  return (
    <div className={classes['now']}>
      {needs?.length === 0 && (
        <span className={classes['nowItem']}>
          <Sign isWarning={false} />
          Nothing needs you
        </span>
      )}
      {maySeeOperations ? (
        <PathLink path="/operations" className={classes['nowItem']}>
          <Sign isWarning={isLate} />
          {lagWords}
        </PathLink>
      ) : (
        <span className={classes['nowItem']}>
          <Sign isWarning={isLate} />
          {lagWords}
        </span>
      )}
      {notMoving.map((one) => (
        <span key={one} className={classes['nowItem']}>
          <Sign isWarning />
          Not moving: {one} (UTC)
        </span>
      ))}
      {holes.map(({ stream, revision }) => (
        <Hole key={stream} isLink={maySeeOperations}>
          Figures leave out <span className={classes['stream']}>{stream}</span> from revision {revision} on
        </Hole>
      ))}
      {hasMoreHoles && <Hole isLink={maySeeOperations}>Figures may be without more payments</Hole>}
    </div>
  );
}

/** A payment that the figures below leave out, or may leave out. */
function Hole({ isLink, children }: { readonly isLink: boolean; readonly children: ReactNode }): ReactNode {
  const words = (
    <>
      <Sign isWarning />
      <span>{children}</span>
    </>
  );
  return isLink ? (
    <PathLink path="/operations?tab=parked" className={classes['nowItem']}>
      {words}
    </PathLink>
  ) : (
    <span className={classes['nowItem']}>{words}</span>
  );
}

const Sign = ({ isWarning }: { readonly isWarning: boolean }): ReactNode =>
  isWarning ? (
    <ExclamationTriangleIcon className={classes['warn']} aria-hidden />
  ) : (
    <CheckCircledIcon className={classes['good']} aria-hidden />
  );
