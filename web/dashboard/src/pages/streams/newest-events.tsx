// The newest events of the account, over all of its streams: filtered by category, type and time, without the service's
// own ones unless they are asked for, each with its JSON.
import { Button, Group, Modal, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import { useReadAnew } from '../../app/live-queries.ts';
import { KEYS } from '../../app/query-keys.ts';
import { CopiedId } from '../../parts/copied-id.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { moreOf } from '../../parts/more-rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { TimeRange, type Times } from '../../parts/time-range.tsx';
import { When } from '../../parts/when.tsx';
import { JsonView } from './json-view.tsx';
import classes from './newest-events.module.css';

type NewestEvent = components['schemas']['DashboardNewestEvents']['data'][number];

const CATEGORIES = [
  { value: '', label: 'All events' },
  { value: 'payment', label: 'Payments' },
  { value: 'paymentNote', label: 'Notes' },
  { value: 'savedView', label: 'Views of lists' },
  { value: 'clientSession', label: 'Client sessions' },
  { value: 'paymentInstrument', label: 'Instruments' },
  { value: 'customerWallet', label: 'Saved payment methods' },
  { value: 'agreement', label: 'Agreements' },
  { value: 'notification', label: 'Notifications' },
  { value: 'apiKey', label: 'API keys' },
  { value: 'user', label: 'Users' },
  { value: 'webhookEndpoint', label: 'Webhook endpoints' },
  { value: 'webhookQueue', label: 'Webhook deliveries' },
  { value: 'connection', label: 'Processor accounts' },
  { value: 'idempotency', label: 'Idempotency keys' },
  { value: 'account', label: 'Account' },
  { value: 'act', label: 'Operator actions' },
  { value: 'store', label: 'Business clock' },
];
/** The store's own stream belongs to no account. Only its events about this account are shown. */
const OF_NO_ACCOUNT = 'store-';
const TYPE_PAUSE_MS = 300;

interface NewestEventsProps {
  /** The list has the service's own events. */
  readonly showsAll: boolean;
  readonly onShowAll: (showsAll: boolean) => void;
  readonly times: Times;
  readonly onTimes: (times: Times) => void;
  /** Opens the event's stream at the event. */
  readonly onShow: (stream: string, revision: number) => void;
}

export function NewestEvents({ showsAll, onShowAll, times, onTimes, onShow }: NewestEventsProps): ReactNode {
  const [category, setCategory] = useState('');
  const [type, setType] = useState('');
  const [asked] = useDebouncedValue(type.trim(), TYPE_PAUSE_MS);
  const [shown, setShown] = useState<NewestEvent>();
  const { rows, list, readAnew } = useNewest(category, asked, showsAll, times);
  const isFiltered = category !== '' || asked !== '' || Object.keys(times).length > 0;
  return (
    <>
      <Group gap="xs" mb="sm">
        <Select
          aria-label="Category"
          data={CATEGORIES}
          value={category}
          onChange={(value) => setCategory(value ?? '')}
          w={180}
        />
        <TextInput
          aria-label="Type"
          placeholder="Type, PaymentCaptured"
          value={type}
          onChange={({ currentTarget }) => setType(currentTarget.value)}
          spellCheck={false}
          autoComplete="off"
          w={220}
        />
        <TimeRange search={times} onChange={onTimes} />
        <Switch
          label="Show the service’s own events"
          checked={showsAll}
          onChange={({ currentTarget }) => onShowAll(currentTarget.checked)}
        />
      </Group>
      <DataTable
        label="Newest events"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={setShown}
        fault={list.error}
        onRetry={() => void list.refetch()}
        more={moreOf(list)}
        readAnew={readAnew}
        empty={
          <Empty title={isFiltered ? 'No matching events' : 'No events yet'}>
            {isFiltered ? 'Try another category, type or time.' : 'Every change of the account is recorded here.'}
          </Empty>
        }
      />
      <Modal opened={shown !== undefined} onClose={() => setShown(undefined)} title={shown?.type} size={720}>
        {shown !== undefined && <EventDetails event={shown} onShow={() => onShow(shown.stream, shown.revision)} />}
      </Modal>
    </>
  );
}

function useNewest(category: string, type: string, showsAll: boolean, times: Times) {
  const queryKey = [KEYS.newestEvents, category, type, showsAll, times];
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/dashboard/api/events', {
          params: {
            query: {
              ...(category !== '' && { category }),
              ...(type !== '' && { type }),
              ...(showsAll && { show: 'all' as const }),
              ...times,
              ...(pageParam !== undefined && { before: pageParam }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: firstPage(),
    getNextPageParam: ({ nextBefore }) => nextBefore,
  });
  const { data } = list;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data), [data]);
  return { rows, list, readAnew: useReadAnew(queryKey) };
}

const firstPage = (): string | undefined => undefined;

const EventDetails = ({ event, onShow }: { readonly event: NewestEvent; readonly onShow: () => void }): ReactNode => (
  <Stack gap="md">
    <Group justify="space-between">
      <span className={classes['stream']}>
        {event.stream} @ {event.revision}
        <br />
        by {nameOf(event.actor)}
      </span>
      {!event.stream.startsWith(OF_NO_ACCOUNT) && (
        <Button variant="default" size="compact-sm" onClick={onShow}>
          Open in stream
        </Button>
      )}
    </Group>
    <JsonView label="Recorded data" value={event.data} />
    <JsonView label="Metadata" value={event.metadata} />
  </Stack>
);

const ACTORS: { readonly [kind: string]: string } = {
  apiKey: 'API key',
  checkout: 'Checkout',
  operator: 'Operator',
  policy: 'The service',
  processor: 'Processor',
  user: 'User',
};

const nameOf = ({ kind, email }: NewestEvent['actor']): string => email ?? ACTORS[kind] ?? kind;

const TypeCell = ({ type }: NewestEvent): ReactNode => (
  <Cut>
    <span className={classes['type']}>{type}</span>
  </Cut>
);

const COLUMNS: readonly Column<NewestEvent>[] = [
  { id: 'type', header: 'Event', cell: TypeCell },
  {
    id: 'stream',
    header: 'Stream',
    cell: ({ stream }) => <CopiedId id={stream} label="stream" />,
    isWideOnly: true,
  },
  {
    id: 'actor',
    header: 'By',
    cell: ({ actor }) => (
      <span title={actor.id}>
        <Cut>{nameOf(actor)}</Cut>
      </span>
    ),
    isWideOnly: true,
  },
  {
    id: 'at',
    header: 'Recorded',
    align: 'right',
    cell: ({ recordedAt }) => <When ms={Date.parse(recordedAt)} as="second" />,
  },
];
