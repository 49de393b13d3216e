// The URL under which browsers reach the service: the configured one, otherwise the address that it listens on, once
// that is known.

/** Before the service listens nobody can be led to it. */
const NOWHERE = 'http://127.0.0.1:4000';

export class PublicUrl {
  readonly #configured: string | undefined;
  #listening: string | undefined;

  constructor(configured?: string) {
    this.#configured = configured;
  }

  /** The address that the service listens on now; it counts where none is configured. */
  listensOn(url: string): void {
    this.#listening = url;
  }

  /** Without a slash at its end. */
  readonly get = (): string => this.#configured ?? this.#listening ?? NOWHERE;
}
