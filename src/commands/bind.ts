// Subjects: tables of commands that have what they need.

/** The commands of a subject, each without its first parameter. */
export type Bound<Commands> = {
  readonly [Name in keyof Commands]: Commands[Name] extends (needs: never, ...asked: infer Asked) => infer Answer
    ? (...asked: Asked) => Answer
    : never;
};

/** Gives each command what it needs, as its first argument. */
export function bind<Needs, Commands extends Record<string, (needs: Needs, ...asked: never[]) => unknown>>(
  needs: Needs,
  commands: Commands,
): Bound<Commands>;
export function bind(needs: unknown, commands: Record<string, (needs: unknown, ...asked: unknown[]) => unknown>) {
  return Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [name, (...asked: unknown[]) => command(needs, ...asked)]),
  );
}
