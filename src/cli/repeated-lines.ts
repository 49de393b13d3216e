// Lines of the log that repeat: the first of each kind are written, the rest counted, and the last one is written with
// that count.
import type { World } from '../world.ts';

export interface Line {
  readonly level: 'warn' | 'error';
  readonly entry: object;
  readonly message: string;
}

interface RepetitionLimits {
  /** From the first line of any kind; after that, all kinds start again. */
  readonly windowMs: number;
  /** Lines of a kind that are written in a window. */
  readonly lines: number;
  /** The most kinds that are distinguished in a window; all further kinds count as one. */
  readonly kinds: number;
}
const defaultLimits: RepetitionLimits = { windowMs: 10_000, lines: 20, kinds: 1_000 };

interface LineKind {
  written: number;
  held: number;
  last: Line;
}

export class RepeatedLines {
  readonly #write: (line: Line) => void;
  readonly #world: World;
  readonly #limits: RepetitionLimits;
  readonly #kinds = new Map<string, LineKind>();
  #window: AbortController | undefined;
  #held = 0;

  constructor(write: (line: Line) => void, world: World, limits: RepetitionLimits = defaultLimits) {
    this.#write = write;
    this.#world = world;
    this.#limits = limits;
  }

  /** Lines that were counted and are never written, since the start. */
  get held(): number {
    return this.#held;
  }

  say(line: Line): void {
    if (this.#window === undefined) void this.#openWindow();
    const kind = this.#kindOf(line);
    kind.last = line;
    if (kind.written >= this.#limits.lines) {
      kind.held += 1;
      if (kind.held > 1) this.#held += 1; // the last of the kept lines is written
      return;
    }
    kind.written += 1;
    this.#write(line);
  }

  /** Writes the lines that were kept; the next line begins a new window. */
  flush(): void {
    this.#window?.abort();
    this.#window = undefined;
    for (const { held, last } of this.#kinds.values()) {
      if (held === 0) continue;
      this.#write({ ...last, entry: { ...last.entry, others: held - 1 } });
    }
    this.#kinds.clear();
  }

  #kindOf(line: Line): LineKind {
    const name = nameOf(line);
    const known = this.#kinds.get(name) ?? (this.#kinds.size < this.#limits.kinds ? undefined : this.#kinds.get(''));
    if (known !== undefined) return known;
    const kind: LineKind = { written: 0, held: 0, last: line };
    this.#kinds.set(this.#kinds.size < this.#limits.kinds ? name : '', kind);
    return kind;
  }

  async #openWindow(): Promise<void> {
    const window = new AbortController();
    this.#window = window;
    await this.#world.sleep(this.#limits.windowMs, window.signal).catch(() => undefined);
    if (!window.signal.aborted) this.flush();
  }
}

/** Ids are in the entry, not in the message; faults differ by their code. */
function nameOf({ level, entry, message }: Line): string {
  const fault = 'err' in entry && entry.err instanceof Error ? entry.err : undefined;
  const code = fault !== undefined && 'code' in fault ? String(fault.code) : fault?.name;
  return [level, message, code ?? ''].join('\n');
}
