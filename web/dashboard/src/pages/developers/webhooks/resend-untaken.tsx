// The dialog that resends every message that an endpoint, or any endpoint of the account, has not taken since a
// time: it counts them before, and shows its progress.
import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { businessNow } from '../../../app/business-time.ts';
import { useRunning } from '../../../app/use-running.ts';
import { FaultLine } from '../../../parts/fault-line.tsx';
import { When } from '../../../parts/when.tsx';
import { messages } from './next-attempt.tsx';
import { resendBatch, untakenQuery } from './webhook-queries.ts';
import classes from './webhooks.module.css';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PERIODS = [
  { value: String(HOUR_MS), label: 'the last hour' },
  { value: String(DAY_MS), label: 'the last 24 hours' },
  { value: String(7 * DAY_MS), label: 'the last 7 days' },
  { value: String(30 * DAY_MS), label: 'the last 30 days' },
] as const;

interface ResendProps {
  /** Undefined: all endpoints of the account. */
  readonly endpointId?: string;
  /** The beginning of the listed days; undefined if any day is listed. */
  readonly from?: string | undefined;
  readonly onClose: () => void;
}

export function ResendUntaken({ endpointId, from, onClose }: ResendProps): ReactNode {
  const [openedAt] = useState(businessNow);
  const [period, setPeriod] = useState(from === undefined ? String(DAY_MS) : 'listed');
  const [resent, setResent] = useState<number>();
  const since = period === 'listed' && from !== undefined ? from : new Date(openedAt - Number(period)).toISOString();
  const isCounting = resent === undefined; // a run repeats the count that the user saw
  const { data: untaken, error } = useQuery({ ...untakenQuery(endpointId, since), enabled: isCounting });
  const isNone = untaken?.count === 0 && !untaken.isMore;
  const [isDone, setDone] = useState(false);
  const { isRunning, fault, run } = useRunning(async () => {
    if (untaken === undefined) return;
    let sum = resent ?? 0;
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const batch = await resendBatch(endpointId, {
        since,
        asOf: untaken.asOf,
        ...(cursor !== undefined && { cursor }),
      });
      sum += batch.resent;
      setResent(sum);
      cursor = batch.nextCursor;
    }
    setDone(true);
  });
  const periods = [
    ...(from === undefined ? [] : [{ value: 'listed', label: 'the days that are listed' }]),
    ...PERIODS.map((one) => ({ ...one })),
  ];
  return (
    <Modal opened onClose={onClose} title="Resend messages that were not taken" size={560}>
      <form onSubmit={run}>
        <Stack gap="md">
          <Select
            label="Messages of"
            data={periods}
            value={period}
            onChange={(value) => setPeriod(value ?? period)}
            disabled={isRunning || resent !== undefined}
            allowDeselect={false}
            w={240}
            data-autofocus
          />
          <Text role="status">
            {resent !== undefined ? (
              isDone ? (
                `${messages({ count: resent, isMore: false })} will be delivered again within seconds.`
              ) : (
                `Resent ${resent.toLocaleString()} so far.`
              )
            ) : untaken === undefined ? (
              'Counting the messages.'
            ) : isNone ? (
              'There is nothing to resend: every message of this time was taken, or is due already.'
            ) : (
              <>
                {sentence(messages(untaken))}
                {endpointId === undefined && ` at ${endpointsText(untaken.endpoints.length)}`} since{' '}
                <When ms={Date.parse(since)} /> will be delivered again: those that are retried later, and those that
                failed for good.
              </>
            )}
          </Text>
          {isCounting && untaken !== undefined && untaken.endpoints.length > 0 && (
            <ul className={classes['untaken']}>
              {untaken.endpoints.map((one) => (
                <li key={one.endpointId}>
                  <span className={classes['id']}>{one.url}</span>
                  <span>{messages(one)}</span>
                </li>
              ))}
            </ul>
          )}
          <FaultLine fault={fault ?? error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {isDone ? 'Close' : 'Cancel'}
            </Button>
            {!isDone && (
              <Button type="submit" loading={isRunning} disabled={untaken === undefined || isNone}>
                {fault === undefined ? 'Resend' : 'Continue'}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const endpointsText = (count: number): string => (count === 1 ? '1 endpoint' : `${count} endpoints`);

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
