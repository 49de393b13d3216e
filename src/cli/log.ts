// The log on stderr: JSON lines, readable ones when that is a terminal.

/** What of a logger is used here; pino's is one. */
export interface Log {
  debug(entry: object, message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(entry: object, message: string): void;
  isLevelEnabled(level: string): boolean;
}

const STDERR = 2;

/** Written at once, so that the last line before a crash is there. */
export async function openLog(level: string): Promise<Log> {
  const { pino, stdTimeFunctions } = await import('pino');
  const options = { level, base: null };
  if (process.stderr.isTTY !== true) {
    const lines: Log = pino({ ...options, timestamp: stdTimeFunctions.isoTime }, pino.destination({ dest: STDERR, sync: true }));
    return lines;
  }
  const { default: pretty } = await import('pino-pretty');
  const readable: Log = pino(options, pretty({ destination: STDERR, sync: true, translateTime: 'HH:MM:ss.l' }));
  return readable;
}

/** For commands that hardly ever have anything to log: the same, loaded with the first line. */
export function lazyLog(level: string): Log {
  let opening: Promise<Log> | undefined;
  const write = (line: (log: Log) => void): void => {
    opening ??= openLog(level);
    void opening.then(line);
  };
  return {
    debug: () => undefined,
    info: (message) => write((log) => log.info(message)),
    warn: (message) => write((log) => log.warn(message)),
    error: (entry, message) => write((log) => log.error(entry, message)),
    isLevelEnabled: () => false,
  };
}
