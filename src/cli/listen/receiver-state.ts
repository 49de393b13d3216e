// Whether a receiver is there: said once when nobody answers, and once when somebody does again.
import { tell } from '../output.ts';
import { paragraph } from '../table.ts';
import type { Relayed } from './relay.ts';

export class ReceiverState {
  readonly #to: URL;
  #isMissing = false;
  #lastStatus: number | undefined;

  constructor(to: URL) {
    this.#to = to;
  }

  /** Of its last answer. */
  get lastStatus(): number | undefined {
    return this.#lastStatus;
  }

  heard(relayed: Relayed): void {
    if (relayed.kind !== 'sent') return;
    const { answer } = relayed;
    const isMissing = 'fault' in answer;
    if (isMissing && !this.#isMissing) tell(paragraph(missing(this.#to, answer.fault, answer.status)));
    if (!isMissing && this.#isMissing) tell(`The receiver at ${this.#to.href} answers.`);
    this.#isMissing = isMissing;
    this.#lastStatus = answer.status;
  }
}

const missing = ({ href }: URL, why: string, status: number): string =>
  `No answer from ${href}: ${why}. The service is told ${status}: it delivers again after 5 s, then 5 min, then 30 min. \`webhooks resend\` is sooner.`;
