// Moves the page along the payment's timeline: each event is a stop, and the arrow keys go from one to the next.
import { ActionIcon, Button } from '@mantine/core';
import { ChevronLeftIcon, ChevronRightIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FaultLine } from '../../parts/fault-line.tsx';
import { UtcBeside, When, whenText } from '../../parts/when.tsx';
import classes from './past-bar.module.css';
import { type Payment, type StoryEvent, storyQuery } from './payment-queries.ts';
import { FIRST_MOMENT, type Past } from './use-past.ts';

interface PastBarProps {
  /** As it is now. */
  readonly payment: Payment;
  readonly past: Past;
}

export function PastBar({ payment: { id, version }, past: { revision, fault, go } }: PastBarProps): ReactNode {
  const story = useQuery(storyQuery(id, version)).data?.data;
  const at = revision ?? version;
  const event = story?.find((one) => one.revision === at);
  if (version <= FIRST_MOMENT) return null;
  return (
    <section className={classes['bar']} data-past={revision !== undefined || undefined} aria-label="Moment">
      <div className={classes['line']}>
        <ActionIcon
          variant="default"
          aria-label="Previous event"
          disabled={at === FIRST_MOMENT}
          onClick={() => go(at - 1)}
        >
          <ChevronLeftIcon aria-hidden />
        </ActionIcon>
        <input
          type="range"
          className={classes['range']}
          min={FIRST_MOMENT}
          max={version}
          step={1}
          value={at}
          onChange={({ currentTarget }) => go(Number(currentTarget.value))}
          aria-label="Event of the payment"
          aria-valuetext={valueText(event, at, version)}
        />
        <ActionIcon variant="default" aria-label="Next event" disabled={at === version} onClick={() => go(at + 1)}>
          <ChevronRightIcon aria-hidden />
        </ActionIcon>
        <span className={classes['count']}>
          Event {at + 1} of {version + 1}
        </span>
      </div>
      <div role="status">
        {revision !== undefined && (
          <div className={classes['banner']}>
            <p>
              <strong>
                As of {event === undefined ? `event ${at + 1}` : <When ms={Date.parse(event.date)} as="second" />}
              </strong>
              {event !== undefined && (
                <>
                  {' '}
                  <UtcBeside ms={Date.parse(event.date)} className={classes['utc']} /> right after “{event.title}”.
                </>
              )}{' '}
              The payment has changed since.
            </p>
            <Button variant="default" size="compact-sm" onClick={() => go(undefined)}>
              Back to now
            </Button>
          </div>
        )}
      </div>
      <FaultLine fault={fault ?? undefined} />
    </section>
  );
}

const valueText = (event: StoryEvent | undefined, at: number, version: number): string =>
  `${event === undefined ? `Event ${at + 1}` : `${event.title}, ${whenText({ ms: Date.parse(event.date), as: 'second' })}`}${at === version ? ', now' : ''}`;
