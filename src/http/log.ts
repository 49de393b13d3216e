// What the HTTP layer needs of a logger; pino's is one.
export interface Log {
  debug(entry: object, message: string): void;
  info(entry: object, message: string): void;
  error(entry: object, message: string): void;
  isLevelEnabled(level: string): boolean;
}
