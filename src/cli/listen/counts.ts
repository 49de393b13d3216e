// The sums of a `listen`, for its last line.
import type { Relayed } from './relay.ts';

export class ListenCounts {
  readonly #messages = new Set<string>();
  /** Refused messages that have not come again. */
  readonly #awaited = new Set<string>();
  #sent = 0;
  #taken = 0;
  #refused = 0;
  #lost = 0;

  add(relayed: Relayed): void {
    const { eventId } = relayed.delivery.told;
    this.#messages.add(eventId);
    switch (relayed.kind) {
      case 'refused':
        this.#refused += 1;
        this.#awaited.add(eventId);
        return;
      case 'lost':
        this.#lost += 1;
        return;
      case 'sent':
        this.#sent += 1;
        this.#awaited.delete(eventId);
        if (relayed.answer.status >= 200 && relayed.answer.status < 300) this.#taken += 1;
        return;
      default:
        relayed satisfies never;
    }
  }

  /** In a sentence or two. */
  summary(): string {
    const parts = [`sent ${times(this.#sent)}`, `accepted ${times(this.#taken)}`];
    if (this.#refused > 0) parts.push(`${this.#refused} refused first`);
    if (this.#lost > 0) parts.push(`${this.#lost} dropped`);
    const left =
      this.#awaited.size === 0 ? '' : ` ${this.#awaited.size} of the refused messages had not arrived again yet.`;
    return `Ended. ${this.#messages.size} message${this.#messages.size === 1 ? '' : 's'}: ${parts.join(', ')}.${left}`;
  }
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);
