// One webhook endpoint: its state, the changes to it, and its deliveries.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Facts } from '../../../parts/facts.tsx';
import { MachineTime } from '../../../parts/machine-time.tsx';
import { PageFrame } from '../../../parts/page-frame.tsx';
import { Section } from '../../../parts/section.tsx';
import { Failed, Loading } from '../../../parts/states.tsx';
import { WayBack } from '../../../parts/way-back.tsx';
import { When } from '../../../parts/when.tsx';
import { ChangeEndpoint, type EndpointChange } from './change-endpoint.tsx';
import { deliverySearch } from './delivery-search.ts';
import { EndpointDeliveries } from './endpoint-deliveries.tsx';
import { EndpointStatus, hasFailed, lastHourText, RawFault, typesText } from './endpoint-words.tsx';
import { Backlog, countText } from './next-attempt.tsx';
import { ResendUntaken } from './resend-untaken.tsx';
import { type EndpointWithCounts, endpointQuery } from './webhook-queries.ts';
import classes from './webhooks.module.css';

export function EndpointPage(): ReactNode {
  const { endpointId = '' } = useParams({ strict: false });
  const read = useQuery(endpointQuery(endpointId));
  if (read.data !== undefined) return <Shown key={endpointId} endpoint={read.data} />;
  return (
    <PageFrame title="Webhook endpoint">
      {read.error === null ? (
        <Loading height={480} what="Loading the endpoint" />
      ) : (
        <Failed fault={read.error} onRetry={() => void read.refetch()} />
      )}
    </PageFrame>
  );
}

function Shown({ endpoint }: { readonly endpoint: EndpointWithCounts }): ReactNode {
  const [change, setChange] = useState<EndpointChange>();
  const [isResending, setResending] = useState(false);
  const { from_date: from } = deliverySearch(useSearch({ strict: false }));
  const { id, url, events, state, addedAt, previousUntil, retrying, lastHour, lastDay } = endpoint;
  return (
    <>
      <WayBack to="/developers/webhooks" words="Webhooks" id={id} label="endpoint id" />
      <PageFrame
        title={new URL(url).host}
        aside={<EndpointStatus endpoint={endpoint} />}
        actions={
          state !== 'deleted' && (
            <>
              {state === 'enabled' && (
                <>
                  <Button variant="default" onClick={() => setResending(true)}>
                    Resend…
                  </Button>
                  <Button variant="default" onClick={() => setChange('change')}>
                    Change
                  </Button>
                  <Button variant="default" onClick={() => setChange('rotate')}>
                    Rotate secret
                  </Button>
                  <Button variant="default" color="red" onClick={() => setChange('disable')}>
                    Disable
                  </Button>
                </>
              )}
              <Button variant="default" color="red" onClick={() => setChange('delete')}>
                Delete
              </Button>
            </>
          )
        }
      >
        <Notice endpoint={endpoint} />
        <div className={classes['about']}>
          <Facts
            facts={[
              { name: 'URL', value: <span className={classes['id']}>{url}</span> },
              { name: 'Messages', value: typesText(events) },
              { name: 'Added', value: <When ms={Date.parse(addedAt)} /> },
              {
                name: 'Last hour',
                value: lastHour.tried === 0 ? 'No call' : `${lastHourText(lastHour)} calls were taken`,
              },
              {
                name: 'Last 24 hours',
                value: `${countText(lastDay.delivered)} delivered, ${countText(lastDay.failed)} given up`,
              },
              { name: 'Retrying', value: state === 'enabled' ? countText(retrying) : undefined },
              {
                name: 'Signing secret',
                value:
                  previousUntil === undefined ? (
                    'Shown once, when it was created'
                  ) : (
                    <>
                      Rotated. The old secret is valid until <When ms={Date.parse(previousUntil)} />
                      <MachineTime />
                    </>
                  ),
              },
            ]}
          />
        </div>
        <Section title="Deliveries">
          <EndpointDeliveries endpoint={endpoint} />
        </Section>
      </PageFrame>
      {isResending && <ResendUntaken endpointId={id} from={from} onClose={() => setResending(false)} />}
      {change !== undefined && (
        <ChangeEndpoint change={change} endpoint={endpoint} onClose={() => setChange(undefined)} />
      )}
    </>
  );
}

const ENDS: { readonly [S in Exclude<EndpointWithCounts['state'], 'enabled'>]: string } = {
  disabled: 'It was disabled here.',
  gone: 'The receiver responded with 410: it wants no more messages.',
  deleted: 'It was deleted.',
};

/** The problem, and what happens next. */
function Notice({ endpoint }: { readonly endpoint: EndpointWithCounts }): ReactNode {
  const { state, health, lastHour, disabledAt, deletedAt, lastAttempt, failedAt } = endpoint;
  const endedAt = deletedAt ?? disabledAt;
  if (state !== 'enabled')
    return (
      <section
        className={classes['notice']}
        data-tone={state === 'gone' ? 'bad' : 'quiet'}
        aria-label="Why nothing is sent"
      >
        <p>
          <strong>{ENDS[state]}</strong> Nothing is sent to it
          {endedAt !== undefined && (
            <>
              {' '}
              since <When ms={Date.parse(endedAt)} />
            </>
          )}
          .
        </p>
      </section>
    );
  const isInPart = health === 'failing_in_part';
  if (health !== 'failing' && !isInPart && failedAt === undefined) return null;
  return (
    <section className={classes['notice']} data-tone={health === 'failing' ? 'bad' : 'warn'} aria-label="Failures">
      {isInPart && (
        <p>
          <strong>Failing in part:</strong> {lastHourText(lastHour)} calls of the last hour were taken.
        </p>
      )}
      {hasFailed(lastAttempt) && (
        <>
          <p>
            <strong>Last delivery failed:</strong> {lastAttempt.why ?? `HTTP ${lastAttempt.status}.`}{' '}
            <When ms={Date.parse(lastAttempt.at)} as="second" />
          </p>
          <RawFault fault={lastAttempt.fault} />
        </>
      )}
      <Backlog endpoint={endpoint} />
      {failedAt !== undefined && (
        <p>
          Deliveries have failed for good after their last retry. They are listed under Failed, and Resend… delivers
          them again.
        </p>
      )}
    </section>
  );
}
