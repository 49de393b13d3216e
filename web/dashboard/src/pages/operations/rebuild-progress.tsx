// The progress of a rebuild: the bar, the rate, the remaining time, and the steps. Closing the dialog does not stop it.
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { durationText } from '../../parts/duration.ts';
import classes from './operations.module.css';
import type { RebuildAnswer } from './projection-queries.ts';
import { paceOf, REBUILD_STEPS, shareOf } from './rebuild-steps.ts';

const number = new Intl.NumberFormat();

export function RebuildProgress({
  rebuild,
  onClose,
}: {
  readonly rebuild: RebuildAnswer;
  readonly onClose: () => void;
}): ReactNode {
  const percent = Math.round(shareOf(rebuild) * 100);
  return (
    <Stack gap="lg">
      <div>
        <div className={classes['figures']}>
          <span className={classes['percent']}>{percent}%</span>
          <span className={classes['pace']}>
            <Pace rebuild={rebuild} />
          </span>
        </div>
        <Progress
          value={percent}
          size="lg"
          radius="xl"
          transitionDuration={400}
          aria-label={`The rebuild of ${rebuild.projection}`}
        />
      </div>
      <ol className={classes['steps']}>
        {REBUILD_STEPS.map(({ step, title, does }) => (
          <li key={step} data-state={stateOf(step, rebuild)} aria-current={step === rebuild.step ? 'step' : undefined}>
            <span className={classes['dot']} aria-hidden />
            <span className={classes['stepTitle']}>{title}</span>
            <span className={classes['stepDoes']}>{does}</span>
          </li>
        ))}
      </ol>
      <Group justify="space-between" wrap="nowrap" align="flex-end">
        <Text size="sm" c="dimmed">
          {rebuild.dryRun ? 'Dry run' : 'Running'} on {rebuild.node}. You can close this page; the rebuild continues.
        </Text>
        <Button className={classes['fixed'] ?? ''} variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

function Pace({ rebuild }: { readonly rebuild: RebuildAnswer }): ReactNode {
  const { events, step, elapsedMs } = rebuild;
  const pace = paceOf(rebuild);
  if (step !== 'building' || pace === undefined)
    return `${number.format(events)} events read, ${durationText(elapsedMs)}`;
  const left = durationText(pace.secondsLeft * 1_000);
  return `${number.format(events)} of about ${number.format(pace.total)} events · ${number.format(pace.perSecond)}/s · ${left} left`;
}

function stateOf(step: RebuildAnswer['step'], { step: now }: RebuildAnswer): 'done' | 'now' | 'next' {
  const place = (one: RebuildAnswer['step']): number => REBUILD_STEPS.findIndex((its) => its.step === one);
  if (step === now) return 'now';
  return place(step) < place(now) ? 'done' : 'next';
}
