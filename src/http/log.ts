// The logger of the HTTP layer; pino's is one.
export interface Log {
  debug(entry: object, message: string): void;
  info(entry: object, message: string): void;
  error(entry: object, message: string): void;
  isLevelEnabled(level: string): boolean;
}
