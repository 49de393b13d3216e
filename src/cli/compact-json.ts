// JSON for people: what fits on a line stays on one.

const WIDTH = 120;

/** Like JSON.stringify with two spaces, but objects and lists that fit behind `indent` columns are written on one line. */
export function compactJson(value: unknown, indent = 0): string {
  const line = onLine(value);
  if (typeof value !== 'object' || value === null || indent + line.length <= WIDTH) return line;
  const inner = ' '.repeat(indent + 2);
  const parts = Array.isArray(value)
    ? value.map((item) => `${inner}${compactJson(item, indent + 2)}`)
    : Object.entries(value).map(([name, member]) => `${inner}${JSON.stringify(name)}: ${compactJson(member, indent + 2)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${parts.join(',\n')}\n${' '.repeat(indent)}${close}`;
}

function onLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(onLine).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${onLine(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
