// Whether a receiver answers and a service runs: each is said once when it is missing, and once when it is there again.
import { Nodes } from '../../projections/running/nodes.ts';
import { shownUrl } from '../../store-urls.ts';
import { liveWorld } from '../../world.ts';
import type { Opened } from '../open/open.ts';
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

  /** The status of its last response. */
  get lastStatus(): number | undefined {
    return this.#lastStatus;
  }

  heard(relayed: Relayed): void {
    if (relayed.kind !== 'sent') return;
    const { answer } = relayed;
    const isMissing = 'fault' in answer;
    if (isMissing && !this.#isMissing) tell(paragraph(noReceiver(this.#to, answer.fault, answer.status)));
    if (!isMissing && this.#isMissing) tell(`The receiver at ${this.#to.href} answers.`);
    this.#isMissing = isMissing;
    this.#lastStatus = answer.status;
  }
}

const noReceiver = ({ href }: URL, why: string, status: number): string =>
  `No answer from ${href}: ${why}. The service is told ${status}: it delivers again after 5 s, then 5 min, then 30 min. \`webhooks resend\` is sooner.`;

/** Twice the time between two signs of life. */
const SILENT_MS = 6_000;

/** A `listen` on stores without a service would wait for ever. */
export class ServicePresence {
  readonly #nodes: Nodes;
  readonly #where: string;
  #isMissing = false;

  constructor({
    service: { readModels },
    config: { eventStore, dataDir },
    report,
  }: Pick<Opened, 'service' | 'config' | 'report'>) {
    // It only looks, and shows no sign of life: it is not a process that serves.
    const self = { name: 'listen', version: '' };
    this.#nodes = new Nodes({ readModels, world: liveWorld, report, self, isLeading: () => false });
    this.#where = eventStore.kind === 'sqlite' ? dataDir : shownUrl(eventStore);
  }

  /** Throws StoreUnavailable. */
  async look(): Promise<void> {
    const nodes = await this.#nodes.list();
    const isMissing = !nodes.some(({ isThis, silentMs }) => !isThis && silentMs < SILENT_MS);
    if (isMissing && !this.#isMissing) tell(paragraph(noService(this.#where)));
    if (!isMissing && this.#isMissing) tell('A service is running now.');
    this.#isMissing = isMissing;
  }
}

const noService = (where: string): string =>
  `No service is running on ${where}. Start one with \`npx counterfoil serve\`. Deliveries arrive as soon as it runs.`;
