// The idempotency keys of one account: over all its endpoints, compared, and pruned after a day.
import { Failure } from './failure.ts';
import type { Lie } from './lies.ts';

export const KEPT_MS = 24 * 3_600_000;

export interface Saved {
  readonly status: number;
  readonly json: string;
}

interface Entry {
  readonly endpoint: string;
  readonly parameters: string;
  readonly at: number;
  saved?: Saved;
}

export interface Use {
  readonly key: string;
  /** Method and path. */
  readonly endpoint: string;
  readonly parameters: string;
  readonly now: number;
}

export class IdempotencyKeys {
  readonly #entries = new Map<string, Entry>();
  readonly #lies: ReadonlySet<Lie>;

  constructor(lies: ReadonlySet<Lie>) {
    this.#lies = lies;
  }

  /** The saved response to the first use, or undefined if this is the first use. Throws if the key is refused. */
  replay(use: Use): Saved | undefined {
    const name = this.#nameOf(use);
    const known = this.#entries.get(name);
    if (known === undefined || this.#lies.has('key_ignored')) return undefined;
    if (use.now - known.at > KEPT_MS && !this.#lies.has('key_never_pruned')) {
      this.#entries.delete(name);
      return undefined;
    }
    if (known.saved === undefined) {
      if (this.#lies.has('key_never_in_use')) return undefined;
      throw new Failure(409, {
        type: 'invalid_request_error',
        code: 'idempotency_key_in_use',
        message: `There is currently another in-progress request using this Idempotency Key ('${use.key}').`,
      });
    }
    const isSame = known.endpoint === use.endpoint && known.parameters === use.parameters;
    if (!isSame && !this.#lies.has('key_ignores_parameters'))
      throw new Failure(400, {
        type: 'idempotency_error',
        message: `Keys for idempotent requests can only be used with the same parameters they were first used with: '${use.key}'.`,
      });
    return known.saved;
  }

  /** Execution begins. Call the result with the response, or with nothing to forget this use. */
  begin(use: Use): (saved?: Saved) => void {
    const { endpoint, parameters, now } = use;
    const name = this.#nameOf(use);
    const entry: Entry = { endpoint, parameters, at: now };
    this.#entries.set(name, entry);
    return (saved) => {
      if (saved !== undefined) entry.saved = saved;
      else if (this.#entries.get(name) === entry) this.#entries.delete(name);
    };
  }

  #nameOf({ key, endpoint }: Use): string {
    return this.#lies.has('key_per_endpoint') ? `${endpoint} ${key}` : key;
  }
}
