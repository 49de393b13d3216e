// Brings a plan's misfortunes about, each at its time: crashes, pauses, unavailable stores; and ends them all.
import type { Node } from './node.ts';
import type { Misfortune, Plan } from './plan.ts';
import type { Timeline } from './timeline.ts';
import { CALM_NODE, nodeWeather, type Unavailable } from './weather.ts';

/** All misfortunes of one run. */
export class Misfortunes {
  readonly #plan: Plan;
  readonly #timeline: Timeline;
  readonly #nodes: readonly Node[];
  readonly #loseReadModels: () => void;
  readonly #changeRules: (to: number) => void;
  readonly #unavailable = new Map<string, number>();
  readonly #calledOff: (() => void)[] = [];

  constructor(
    plan: Plan,
    timeline: Timeline,
    nodes: readonly Node[],
    {
      loseReadModels,
      changeRules,
    }: { readonly loseReadModels: () => void; readonly changeRules: (to: number) => void },
  ) {
    this.#plan = plan;
    this.#timeline = timeline;
    this.#nodes = nodes;
    this.#loseReadModels = loseReadModels;
    this.#changeRules = changeRules;
  }

  get weather() {
    const isUnavailable = (what: string): boolean => (this.#unavailable.get(what) ?? 0) > 0;
    const unavailable: Unavailable = {
      events: isUnavailable('events'),
      readModels: isUnavailable('readModels'),
      processor: isUnavailable('processor'),
      sandboxes: [isUnavailable('sandbox 0'), isUnavailable('sandbox 1')],
    };
    return nodeWeather(this.#plan.badness, unavailable, this.#plan.routed !== undefined);
  }

  begin(): void {
    for (const one of this.#plan.misfortunes)
      this.#calledOff.push(this.#timeline.after(one.atMs, undefined, () => this.#strike(one)));
  }

  /** Ends all misfortunes: stores and processor answer, both nodes run and are ready. */
  async end(): Promise<void> {
    for (const callOff of this.#calledOff) callOff();
    for (const node of this.#nodes) {
      node.resume();
      node.weather = CALM_NODE;
      if (node.owner.isDead && node.service === undefined) node.start();
    }
    await this.#untilReady();
  }

  /** Crashes and starts both nodes. */
  async restart(): Promise<void> {
    for (const node of this.#nodes) {
      node.crash();
      node.start();
    }
    await this.#untilReady();
  }

  async #untilReady(): Promise<void> {
    await this.#timeline.runUntil(
      () => this.#nodes.every(({ service }) => service?.readiness().ready === true),
      120_000,
    );
  }

  #strike(one: Misfortune): void {
    switch (one.kind) {
      case 'crash':
        this.#crash(this.#nodes[one.node], one.downMs);
        return;
      case 'pause': {
        const node = this.#nodes[one.node];
        if (node === undefined || node.owner.isDead || node.owner.isPaused) return;
        const { owner } = node;
        node.pause();
        this.#timeline.after(one.forMs, undefined, () => owner === node.owner && node.resume());
        return;
      }
      case 'store unavailable':
        this.#makeUnavailable(one.store, one.forMs);
        return;
      case 'processor unavailable':
        this.#makeUnavailable('processor', one.forMs);
        return;
      case 'sandbox unavailable':
        this.#makeUnavailable(`sandbox ${one.sandbox}`, one.forMs);
        return;
      case 'rules changed':
        this.#changeRules(one.to);
        return;
      case 'read models lost':
        for (const node of this.#nodes) this.#crash(node, 500);
        this.#loseReadModels();
        return;
      default:
        one satisfies never;
    }
  }

  #crash(node: Node | undefined, downMs: number): void {
    if (node === undefined || node.owner.isDead) return; // the node is down already
    node.crash();
    this.#calledOff.push(this.#timeline.after(downMs, undefined, () => node.start()));
  }

  #makeUnavailable(what: string, forMs: number): void {
    const change = (by: number): void => {
      this.#unavailable.set(what, (this.#unavailable.get(what) ?? 0) + by);
      for (const node of this.#nodes) node.weather = this.weather;
    };
    change(1);
    this.#calledOff.push(this.#timeline.after(forMs, undefined, () => change(-1)));
  }
}
