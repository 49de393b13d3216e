// counterfoil sandbox wait: waits until nothing is open, so that a test can check the end state.
import { type Command, Option } from 'commander';
import type { Sandbox } from '../../processors/sandbox/sandbox-interface.ts';
import type { OpenWork } from '../../queries/open-work.ts';
import { formatTime } from '../../world.ts';
import { type CommonOptions, declare } from '../command.ts';
import { parseDuration } from '../duration.ts';
import { EXIT, WrongUsage } from '../exit.ts';
import type { Opened } from '../open/open.ts';
import { type CommandResult, print } from '../output.ts';
import { toSecond } from '../table.ts';
import { SANDBOX_SETTINGS, withSandbox } from './with-sandbox.ts';

interface SandboxWaitOptions extends CommonOptions {
  readonly untilSettled?: boolean;
  readonly timeout: number;
}

/** The open work; `undelivered`: notifications that are not delivered yet. */
interface StillOpen extends OpenWork {
  readonly undelivered: number;
}

const LOOK_EVERY_MS = 200;
/** The most attempts that are named when the time is over. */
const NAMED = 20;

export function sandboxWait(parent: Command): void {
  declare(parent, {
    usage: 'wait',
    summary: 'Wait until every attempt is resolved and every notification is delivered; exits 1 if that takes too long',
    examples: ['sandbox wait --until-settled', 'sandbox wait --until-settled --timeout 5m'],
    settings: SANDBOX_SETTINGS,
  })
    .option('--until-settled', 'wait until nothing is unknown, pending or in transit')
    .addOption(new Option('--timeout <duration>', 'the longest wait').argParser(parseDuration).default(60_000, '60s'))
    .action(wait);
}

async function wait(options: SandboxWaitOptions): Promise<void> {
  if (options.untilSettled !== true) throw new WrongUsage('Name what to wait for: --until-settled.');
  await withSandbox(options, async (sandbox, opened) => {
    const { world } = opened;
    const { timeout } = options;
    const started = world.monotonic();
    const waitedMs = (): number => Math.round(world.monotonic() - started);
    let open = await openNow(sandbox, opened, 1);
    while (isAny(open) && waitedMs() < timeout) {
      await world.sleep(Math.min(LOOK_EVERY_MS, Math.max(1, timeout - waitedMs())), new AbortController().signal);
      open = await openNow(sandbox, opened, 1);
    }
    const last = isAny(open) ? await openNow(sandbox, opened, NAMED) : open;
    print(result(last, waitedMs()), options);
    if (isAny(last)) process.exitCode = EXIT.refused;
  });
}

async function openNow(sandbox: Sandbox, { service }: Opened, limit: number): Promise<StillOpen> {
  const { openWork } = await import('../../queries/open-work.ts');
  // Notifications that the sandbox delivers meanwhile have reached the service before the next question.
  const { count } = await sandbox.undelivered();
  return { ...(await openWork(service.readModels, limit)), undelivered: count };
}

const isAny = ({ attempts, notifications, undelivered }: StillOpen): boolean =>
  attempts.length + notifications.length + undelivered > 0;

function result(open: StillOpen, waitedMs: number): CommandResult {
  const { attempts, notifications, undelivered } = open;
  const isSettled = !isAny(open);
  const views = attempts.map(({ attemptId, operation, state, lookUpAt }) => {
    return { attemptId, operation, state, lookUpAt: lookUpAt === undefined ? null : formatTime(lookUpAt) };
  });
  const json = { settled: isSettled, waitedMs, attempts: views, notifications, undelivered };
  if (isSettled) return { json, text: `Everything is resolved after ${(waitedMs / 1_000).toFixed(1)} s.` };
  const lines = [
    ...views.map(
      ({ attemptId, operation, state, lookUpAt }) =>
        `${attemptId}: ${operation} ${state}, next look-up at ${lookUpAt === null ? 'no time' : toSecond(lookUpAt)}`,
    ),
    ...notifications.map((id) => `notification ${id}: received, not handled yet`),
    ...(undelivered === 0
      ? []
      : [`the sandbox has ${undelivered} notification${undelivered === 1 ? '' : 's'} to deliver`]),
  ];
  const most = attempts.length === NAMED ? ` (the first ${NAMED})` : '';
  return { json, text: `Unresolved after ${(waitedMs / 1_000).toFixed(1)} s${most}:\n${lines.join('\n')}` };
}
