// When a message is tried next, in the same words in lists, in a delivery's drawer and on its endpoint's page.
import { type ReactNode, useEffect, useState } from 'react';
import { businessNow } from '../../../app/business-time.ts';
import { When } from '../../../parts/when.tsx';
import type { Delivery, EndpointWithCounts } from './webhook-queries.ts';
import classes from './webhooks.module.css';

/** Nothing if no attempt is due. A due time that is over is not shown as one to come. */
export function NextAttempt({ delivery }: { readonly delivery: Pick<Delivery, 'nextAttemptAt'> }): ReactNode {
  const now = useSeconds();
  if (delivery.nextAttemptAt === null) return null;
  const ms = Date.parse(delivery.nextAttemptAt);
  const time = <When ms={ms} as="second" />;
  return ms > now ? time : <>Due since {time}</>;
}

const MINUTE_MS = 60_000;

/** The messages of an endpoint that wait: how many, since when, and when the next call is. */
export function Backlog({ endpoint }: { readonly endpoint: EndpointWithCounts }): ReactNode {
  const now = useSeconds();
  const { waiting, retrying, nextAttemptAt } = endpoint;
  if (nextAttemptAt === undefined) return null;
  const parts = [
    ...(waiting.count > 0
      ? [
          <>
            {messages(waiting)} {waiting.count === 1 && !waiting.isMore ? 'waits' : 'wait'}
            {waiting.since !== undefined && (
              <>
                {' '}
                since <When ms={Date.parse(waiting.since)} />
              </>
            )}
          </>,
        ]
      : []),
    ...(retrying.count > 0 ? [<>{messages(retrying)} will be tried again</>] : []),
  ];
  const [first, second] = parts;
  if (first === undefined) return null;
  const ms = Date.parse(nextAttemptAt);
  return (
    <p className={classes['backlog']}>
      {first}
      {second !== undefined && <>, {second}</>}; the next call{' '}
      {ms <= now ? (
        'follows within seconds'
      ) : ms - now < MINUTE_MS ? (
        `in ${Math.ceil((ms - now) / 1_000)} s`
      ) : (
        <>
          at <When ms={ms} as="second" />
        </>
      )}
      .
    </p>
  );
}

/** `42 messages`, or `more than 1,000 messages` if not all were counted. */
export function messages({ count, isMore }: { readonly count: number; readonly isMore: boolean }): string {
  const number = countText({ count, isMore });
  return `${number} ${count === 1 && !isMore ? 'message' : 'messages'}`;
}

export const countText = ({ count, isMore }: { readonly count: number; readonly isMore: boolean }): string =>
  `${isMore ? 'more than ' : ''}${count.toLocaleString()}`;

/** Business time, in ms, read again each second. */
function useSeconds(): number {
  const [now, setNow] = useState(businessNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(businessNow()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
