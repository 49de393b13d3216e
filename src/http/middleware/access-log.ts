// A log line for some of the requests at info, for each at debug: failures are always logged, the rest is sampled.
import type { World } from '../../world.ts';
import { type Exchange, type Next, statusOf } from '../exchange.ts';
import type { Log } from '../log.ts';

/** The log of one request; paths and queries contain tokens, so `identity` has the route's own path at most. */
type AccessLog = (identity: object, status: number, ms: number) => void;

const SECOND_MS = 1_000;
/** Lines a second: one a request would cost more than the request at thousands of them. */
const LIMITS = { answered: 5, refused: 5, failed: 100 } as const;
type AnswerKind = keyof typeof LIMITS;

const kindOf = (status: number): AnswerKind => (status >= 500 ? 'failed' : status >= 400 ? 'refused' : 'answered');

/** `others` of a line: the number of requests of its kind without a line since the line before. */
export function accessLog(log: Log, world: Pick<World, 'monotonic'>): AccessLog {
  const lines = { answered: 0, refused: 0, failed: 0 };
  const others = { answered: 0, refused: 0, failed: 0 };
  let second = 0;
  const isDue = (kind: AnswerKind): boolean => {
    const now = Math.floor(world.monotonic() / SECOND_MS);
    if (now !== second) {
      second = now;
      lines.answered = lines.refused = lines.failed = 0;
    }
    lines[kind] += 1;
    return lines[kind] <= LIMITS[kind];
  };
  return (identity, status, took) => {
    const ms = Math.round(took * 10) / 10;
    if (log.isLevelEnabled('debug')) return log.debug({ ...identity, status, ms }, 'request');
    if (!log.isLevelEnabled('info')) return;
    const kind = kindOf(status);
    if (isDue(kind)) {
      log.info({ ...identity, status, ms, others: others[kind] }, 'request');
      others[kind] = 0;
    } else others[kind] += 1;
  };
}

/** Tells the log of every request, once its answer is known: what is thrown on its way, `answerFault` answers. */
export function logRequests(
  log: Log,
  world: Pick<World, 'monotonic'>,
  answerFault: (ctx: Exchange, fault: unknown) => void,
) {
  const tell = accessLog(log, world);
  return async function logRequest(ctx: Exchange, next: Next): Promise<void> {
    const start = world.monotonic();
    try {
      await next();
    } catch (fault) {
      answerFault(ctx, fault);
    }
    tell(identityOf(ctx), statusOf(ctx), world.monotonic() - start);
  };
}

/** Paths and queries hold tokens; the route's own path says enough. */
export const identityOf = ({ method, state }: Exchange): object => ({
  requestId: state.requestId,
  method,
  route: state.route?.path,
});
