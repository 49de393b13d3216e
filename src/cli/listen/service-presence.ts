// Whether a service runs on these stores: a `listen` without one would wait for ever, and says so once; and once when there is one.
import { Nodes } from '../../projections/running/nodes.ts';
import { shownUrl } from '../../store-urls.ts';
import { liveWorld } from '../../world.ts';
import type { Opened } from '../open/open.ts';
import { tell } from '../output.ts';
import { paragraph } from '../table.ts';

/** Twice the time between two signs of life. */
const SILENT_MS = 6_000;

export class ServicePresence {
  readonly #nodes: Nodes;
  readonly #where: string;
  #isMissing = false;

  constructor({ service: { readModels }, config: { eventStore, dataDir }, report }: Pick<Opened, 'service' | 'config' | 'report'>) {
    // It looks, and gives no sign itself: it is no process that serves.
    const self = { name: 'listen', version: '' };
    this.#nodes = new Nodes({ readModels, world: liveWorld, report, self, isLeading: () => false });
    this.#where = eventStore.kind === 'sqlite' ? dataDir : shownUrl(eventStore);
  }

  /** Throws StoreUnavailable. */
  async look(): Promise<void> {
    const nodes = await this.#nodes.list();
    const isMissing = !nodes.some(({ isThis, silentMs }) => !isThis && silentMs < SILENT_MS);
    if (isMissing && !this.#isMissing) tell(paragraph(missing(this.#where)));
    if (!isMissing && this.#isMissing) tell('A service runs now.');
    this.#isMissing = isMissing;
  }
}

const missing = (where: string): string =>
  `No service runs on ${where}: start one with \`npx counterfoil serve\`. Deliveries come as soon as it runs.`;
