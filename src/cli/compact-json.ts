// JSON for people: a value that fits on a line stays on one.

const WIDTH = 80;

/**
 * Like JSON.stringify with two spaces, but objects and lists that fit after `column`, where the first line begins, are
 * one line.
 */
export function compactJson(value: unknown, indent = 0, column = indent): string {
  const line = jsonLine(value);
  if (typeof value !== 'object' || value === null || column + line.length <= WIDTH) return line;
  const inner = ' '.repeat(indent + 2);
  const member = (name: string, its: unknown): string =>
    `${inner}${name}${compactJson(its, indent + 2, inner.length + name.length)}`;
  const parts = Array.isArray(value)
    ? value.map((item) => member('', item))
    : Object.entries(value).map(([name, its]) => member(`${JSON.stringify(name)}: `, its));
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${parts.join(',\n')}\n${' '.repeat(indent)}${close}`;
}

/** On one line, with spaces. */
export function jsonLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(jsonLine).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${jsonLine(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
