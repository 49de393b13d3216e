// The business clock, by which work falls due, and the buttons that move it forward.
import { Button, Group, NumberInput, Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { type Asking, answerOf, api } from '../../app/api.ts';
import { withConfirmedPassword } from '../../app/confirm-password.tsx';
import { KEYS } from '../../app/query-keys.ts';
import { useUser } from '../../app/session.tsx';
import { type Done, DoneLine } from '../../parts/done-line.tsx';
import { durationText } from '../../parts/duration.ts';
import { FaultLine } from '../../parts/fault-line.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { StoreNote } from '../../parts/store-note.tsx';
import { UtcBeside, whenText } from '../../parts/when.tsx';
import classes from './sandbox.module.css';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  { words: '+1 hour', byMs: HOUR, effect: 'Look-ups and retries fall due' },
  { words: '+1 day', byMs: DAY, effect: 'Client tokens expire' },
  { words: '+8 days', byMs: 8 * DAY, effect: 'Holds of seven days expire' },
] as const;
const UNITS = [
  { value: String(MINUTE), label: 'minutes' },
  { value: String(HOUR), label: 'hours' },
  { value: String(DAY), label: 'days' },
];

const readClock = ({ signal }: Asking) => answerOf(api.GET('/dashboard/api/sandbox/clock', { signal }));
type Clock = Awaited<ReturnType<typeof readClock>>;
const KEY = [KEYS.sandboxControls, 'clock'];

export function ClockTab(): ReactNode {
  const { operatesStore } = useUser();
  const queries = useQueryClient();
  const [done, setDone] = useState<Done>();
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    queryKey: KEY,
    queryFn: readClock,
    refetchInterval: 10_000,
  });
  const advance = useMutation({
    mutationFn: (byMs: number) =>
      withConfirmedPassword(() => answerOf(api.POST('/dashboard/api/sandbox/clock/advance', { body: { byMs } }))),
    onSuccess: async (clock, byMs) => {
      queries.setQueryData(KEY, clock);
      setDone({ words: `The clock moved forward by ${durationText(byMs)}.`, tone: 'good' });
      await queries.invalidateQueries();
    },
  });
  if (data === undefined)
    return error === null ? <Loading height={360} /> : <Failed fault={error} onRetry={() => void refetch()} />;
  return (
    <div className={classes['clock']}>
      <Face clock={data} readAt={dataUpdatedAt} />
      <section>
        <h2>Move the clock forward</h2>
        <p className={classes['hint']}>
          This moves the time of the service and its sandbox on every node. Work that falls due by then runs at once.
          The clock never goes back.
        </p>
        {operatesStore ? (
          <>
            <div className={classes['steps']}>
              {STEPS.map(({ words, byMs, effect }) => (
                <button key={words} type="button" disabled={advance.isPending} onClick={() => advance.mutate(byMs)}>
                  <strong>{words}</strong>
                  <span>{effect}</span>
                </button>
              ))}
            </div>
            <CustomStep isBusy={advance.isPending} onAdvance={(byMs) => advance.mutate(byMs)} />
            <FaultLine fault={advance.error} />
            <DoneLine done={advance.error === null ? done : undefined} />
          </>
        ) : (
          <StoreNote>All accounts of this service share the clock.</StoreNote>
        )}
      </section>
    </div>
  );
}

/** It ticks between two answers. */
function Face({ clock: { now, offsetMs }, readAt }: { readonly clock: Clock; readonly readAt: number }): ReactNode {
  const [at, setAt] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setAt(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const ms = Date.parse(now) + Math.max(0, at - readAt);
  return (
    <section className={classes['face']} aria-label="Business time">
      <p className={classes['faceLabel']}>Business time</p>
      <p className={classes['time']} data-testid="business-time">
        {whenText({ ms, as: 'second' })}
      </p>
      <UtcBeside ms={ms} className={classes['utc']} />
      <p className={classes['ahead']} data-ahead={offsetMs > 0}>
        {offsetMs === 0 ? 'The machine’s time' : `${durationText(offsetMs)} ahead of the machine’s time`}
      </p>
    </section>
  );
}

function CustomStep({
  isBusy,
  onAdvance,
}: {
  readonly isBusy: boolean;
  readonly onAdvance: (byMs: number) => void;
}): ReactNode {
  const [count, setCount] = useState<number | ''>(30);
  const [unit, setUnit] = useState(String(DAY));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (count !== '') onAdvance(count * Number(unit));
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end">
        <NumberInput
          label="Another step"
          min={1}
          max={366}
          value={count}
          onChange={(next) => setCount(typeof next === 'number' ? next : '')}
          w={110}
        />
        <Select aria-label="Unit" data={UNITS} value={unit} onChange={(next) => setUnit(next ?? unit)} w={120} />
        <Button type="submit" variant="default" loading={isBusy} disabled={count === ''}>
          Move
        </Button>
      </Group>
    </form>
  );
}
