// Work that waits for an operator: streams that a read model cannot go on with, and notifications without a known payment.
import type { ReactNode } from 'react';
import classes from './operations.module.css';
import { ParkedNotifications } from './parked-notifications.tsx';
import { ParkedStreams } from './parked-streams.tsx';

export const ParkedTab = (): ReactNode => (
  <>
    <section className={classes['section']}>
      <h2>Streams</h2>
      <p>An event could not be projected. Later events of its stream wait; every other stream flows.</p>
      <ParkedStreams />
    </section>
    <section className={classes['section']}>
      <h2>Notifications</h2>
      <p>A processor told of a payment that is not known, or contradicted itself. Most are tried again by themselves for 30 days.</p>
      <ParkedNotifications />
    </section>
  </>
);
