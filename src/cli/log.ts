// The log on stderr: JSON lines, readable ones when that is a terminal.
import { type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger } from 'pino';

const STDERR = 2;

/** Written at once, so that the last line before a crash is there. */
export async function openLog(level: string): Promise<Logger> {
  const options = { level, base: null };
  if (process.stderr.isTTY !== true) {
    return pino({ ...options, timestamp: stdTimeFunctions.isoTime }, pino.destination({ dest: STDERR, sync: true }));
  }
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty({ destination: STDERR, sync: true, translateTime: 'HH:MM:ss.l' }));
}
