// What happens to a request on purpose: held, lost, answered wrongly.
import type { Decline } from './cards.ts';
import type { Form } from './form.ts';

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The parameters: the body, or the query of a GET. */
  readonly form: Form;
  /** The idempotency key. */
  readonly key: string | undefined;
}

/** Which request a fault is applied to. Every member that is given must match. */
export interface RequestMatch {
  readonly method?: 'DELETE' | 'GET' | 'POST';
  /** A whole path, or a pattern of one: `/confirm$/`. */
  readonly path?: string | RegExp;
  readonly key?: string;
  readonly where?: (request: SeenRequest) => boolean;
  /** 1, the default: the next request that matches; 2: the one after it. */
  readonly nth?: number;
}

/** `none`: nothing happened at Stripe. `done`: it did, and only the response is lost. */
type Loss = { readonly effect: 'done' | 'none' };

export type FaultKind =
  /**
   * `arrival`: it is still on its way; Stripe knows nothing of it. `running`: its key is in use and its PaymentIntent
   * locked, and nothing has happened yet. `response`: it is over, and its response is saved.
   */
  | { readonly kind: 'hold'; readonly at: 'arrival' | 'response' | 'running' }
  /** A 500 that the idempotency key keeps. */
  | ({ readonly kind: 'server_error' } & Loss)
  /** The HTML page of a proxy, with status 502. */
  | ({ readonly kind: 'bad_gateway' } & Loss)
  | ({ readonly kind: 'reset' } & Loss)
  /** No response at all, until the twin closes. */
  | ({ readonly kind: 'hang' } & Loss)
  /** Half of the JSON, after the effect. */
  | { readonly kind: 'truncated' }
  /** 429 `rate_limit`; nothing happened. */
  | { readonly kind: 'rate_limit' }
  /** The issuer declines this confirmation, or this larger authorization. Other requests do not match. */
  | ({ readonly kind: 'declined' } & Decline)
  /** The response, after the effect, with other members: of another id, amount or currency. */
  | { readonly kind: 'altered'; readonly members: Readonly<Record<string, string | number>> }
  /** Another error of Stripe, without the effect; the idempotency key keeps it. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string };

/** A fault, from its announcement to the end of its request. */
export interface Fault {
  /** Resolves when a request has met the fault: when it is held, or when its response is gone. */
  readonly applied: Promise<SeenRequest>;
  /** Delivers a held request now, whatever the clock shows by then. Resolves when it is executed, at
   * once if no request has met the fault. */
  release(): Promise<void>;
}

interface Signal<T> {
  readonly given: Promise<T>;
  give(value: T): void;
}

function signal<T>(): Signal<T> {
  let give: (value: T) => void = () => undefined;
  const given = new Promise<T>((resolve) => {
    give = resolve;
  });
  return { given, give: (value) => give(value) };
}

/** The server's side of a fault. */
export class Struck {
  readonly fault: FaultKind;
  readonly match: RequestMatch;
  readonly #applied = signal<SeenRequest>();
  readonly #released = signal<void>();
  readonly #over = signal<void>();
  left: number;
  /** True once a request has met it. */
  isMet = false;

  constructor(match: RequestMatch, fault: FaultKind) {
    this.match = match;
    this.fault = fault;
    this.left = match.nth ?? 1;
  }

  /** Waits for the release if the fault holds its request there. */
  async hold(at: 'arrival' | 'response' | 'running', request: SeenRequest): Promise<void> {
    if (this.fault.kind !== 'hold' || this.fault.at !== at) return;
    this.#applied.give(request);
    await this.#released.given;
  }

  isLost(effect: Loss['effect']): boolean {
    return 'effect' in this.fault && this.fault.effect === effect;
  }

  over(request: SeenRequest): void {
    this.#applied.give(request);
    this.#over.give();
  }

  /** The interface that tests hold. */
  handle(): Fault {
    return {
      applied: this.#applied.given,
      release: () => {
        this.#released.give();
        return this.isMet ? this.#over.given : Promise.resolve();
      },
    };
  }
}

export class Faults {
  readonly #waiting: Struck[] = [];

  plant(match: RequestMatch, fault: FaultKind): Fault {
    const struck = new Struck(match, fault);
    this.#waiting.push(struck);
    return struck.handle();
  }

  /** The first fault that this request meets. */
  take(request: SeenRequest): Struck | undefined {
    const matching = this.#waiting.filter(({ match, fault }) => {
      const isPossible = fault.kind !== 'declined' || /\/(confirm|increment_authorization)$/.test(request.path);
      return isPossible && isMatch(match, request);
    });
    for (const one of matching) one.left -= 1;
    const struck = matching.find((one) => one.left <= 0);
    if (struck === undefined) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(struck), 1);
    struck.isMet = true;
    return struck;
  }
}

function isMatch({ method, path, key, where }: RequestMatch, request: SeenRequest): boolean {
  const isPath = typeof path === 'string' ? path === request.path : (path?.test(request.path) ?? true);
  const isKey = key === undefined || key === request.key;
  return isPath && isKey && (method ?? request.method) === request.method && (where?.(request) ?? true);
}
