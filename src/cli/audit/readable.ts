// States for people: times in milliseconds become RFC 3339; --json has them as they are.
import { formatTime } from '../../world.ts';

/** The names under which states keep times; an amount may be as large, but has none of them. */
const TIME_NAME = /(At|By|Until|Since|\.date|\.dateUpdated|\.at|^date|^dateUpdated|^at)$/;

/** `name`: the member's name or path. */
export function readable(value: unknown, name = ''): unknown {
  if (typeof value === 'number') return TIME_NAME.test(name) && value > 0 ? formatTime(value) : value;
  if (Array.isArray(value)) return value.map((item) => readable(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, its]) => [member, readable(its, member)]));
}
