// One stream: its events at the left; at the right the selected event, its change, the state after it, and the proof of
// the chain.
import { ActionIcon, Button, Slider, Tabs } from '@mantine/core';
import { ChevronLeftIcon, ChevronRightIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useShortcuts } from '../../app/keyboard.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { moreOf } from '../../parts/more-rows.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import { ChainProofPanel } from './chain-proof.tsx';
import { ChangeList } from './change-list.tsx';
import { EventList } from './event-list.tsx';
import { JsonView } from './json-view.tsx';
import { eventsQuery, proofQuery, type StreamEvent, stateQuery } from './stream-queries.ts';
import classes from './streams.module.css';

interface StreamViewProps {
  readonly name: string;
  /** Undefined: the last event. */
  readonly revision: number | undefined;
  readonly onRevision: (revision: number) => void;
  /** Called with the whole name, once the stream is there. */
  readonly onFound: (stream: string) => void;
}

export function StreamView({ name, revision, onRevision, onFound }: StreamViewProps): ReactNode {
  const list = useInfiniteQuery(eventsQuery(name));
  const { data, error, refetch, hasNextPage, fetchNextPage } = list;
  const more = moreOf(list);
  const stream = data?.pages[0]?.stream;
  useEffect(() => {
    if (stream !== undefined) onFound(stream);
  }, [stream, onFound]);
  const events = data?.pages.flatMap(({ data: page }) => page) ?? [];
  const last = events.at(-1)?.revision ?? 0;
  const isBeyond = revision !== undefined && revision > last && hasNextPage && !more.isLoading && more.fault === null;
  useEffect(() => {
    if (isBeyond) void fetchNextPage();
  }, [isBeyond, fetchNextPage]);
  if (stream === undefined)
    return error === null ? <Loading height={420} /> : <Failed fault={error} onRetry={() => void refetch()} />;
  const broken = data?.pages.at(-1)?.broken;
  const shown = Math.min(revision ?? last, last);
  const chosen = events.find((event) => event.revision === shown);
  return (
    <div className={classes['stream']}>
      <Head
        name={stream}
        count={`${events.length}${hasNextPage ? ' of more events' : events.length === 1 ? ' event' : ' events'}`}
      />
      {broken !== undefined && (
        <div className={classes['broken']} role="alert">
          {broken.fault}
        </div>
      )}
      <div className={classes['split']}>
        <EventList events={events} shown={shown} onShow={onRevision} more={more} />
        <div className={classes['detail']}>
          <RevisionSlider last={last} shown={shown} onShow={onRevision} />
          {chosen !== undefined && <Chosen stream={stream} event={chosen} />}
        </div>
      </div>
    </div>
  );
}

function Head({ name, count }: { readonly name: string; readonly count: string }): ReactNode {
  const { data, error, isFetching, refetch } = useQuery(proofQuery(name));
  return (
    <>
      <header className={classes['head']}>
        <h2>
          <CopyText text={name} label="stream name" />
        </h2>
        <span className={classes['count']}>{count}</span>
        {data !== undefined && (
          <StatusBadge status={data.intact ? 'chain intact' : 'chain broken'} tone={data.intact ? 'good' : 'bad'} />
        )}
        <Button
          className={classes['verify'] ?? ''}
          variant="default"
          size="compact-sm"
          loading={isFetching}
          onClick={() => void refetch()}
        >
          Verify chain
        </Button>
      </header>
      {error !== null && <Failed isByHand fault={error} onRetry={() => void refetch()} />}
      {data !== undefined && <ChainProofPanel proof={data} />}
    </>
  );
}

interface RevisionSliderProps {
  readonly last: number;
  readonly shown: number;
  readonly onShow: (revision: number) => void;
}

function RevisionSlider({ last, shown, onShow }: RevisionSliderProps): ReactNode {
  const step = (by: number): void => onShow(Math.max(0, Math.min(last, shown + by)));
  useShortcuts([
    { keys: 'j', does: 'Next event', run: () => step(1) },
    { keys: 'k', does: 'Previous event', run: () => step(-1) },
  ]);
  return (
    <div className={classes['slider']}>
      <ActionIcon variant="default" aria-label="Previous event" disabled={shown === 0} onClick={() => step(-1)}>
        <ChevronLeftIcon aria-hidden />
      </ActionIcon>
      <Slider
        className={classes['track'] ?? ''}
        min={0}
        max={Math.max(1, last)}
        disabled={last === 0}
        value={shown}
        onChange={onShow}
        label={(at) => `Revision ${at}`}
        thumbLabel="Revision"
      />
      <ActionIcon variant="default" aria-label="Next event" disabled={shown === last} onClick={() => step(1)}>
        <ChevronRightIcon aria-hidden />
      </ActionIcon>
      <span className={classes['at']}>
        {shown} of {last}
      </span>
    </div>
  );
}

function Chosen({ stream, event }: { readonly stream: string; readonly event: StreamEvent }): ReactNode {
  const state = useQuery(stateQuery(stream, event.revision));
  return (
    <section aria-label="Selected event">
      <div className={classes['chosen']}>
        <h3>{event.type}</h3>
        <span>
          <When ms={Date.parse(event.recordedAt)} as="second" />
        </span>
      </div>
      <Tabs defaultValue="change" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="change">Change ({event.changes.length})</Tabs.Tab>
          <Tabs.Tab value="state">State then</Tabs.Tab>
          <Tabs.Tab value="event">Event</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="change">
          <ChangeList changes={event.changes} />
        </Tabs.Panel>
        <Tabs.Panel value="state">
          {state.data === undefined ? (
            state.error === null ? (
              <Loading />
            ) : (
              <Failed fault={state.error} onRetry={() => void state.refetch()} />
            )
          ) : (
            <JsonView value={state.data.state} label={`State at revision ${state.data.revision}`} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="event">
          <JsonView
            value={{ id: event.id, position: event.position, data: event.data, metadata: event.metadata }}
            label="Stored event"
          />
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}
