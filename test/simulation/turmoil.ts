// The misfortunes of a plan: who dies, stands still or is away, when, and that all are there again.
import type { Node } from './node.ts';
import type { Disturbance, Plan } from './plan.ts';
import type { Timeline } from './timeline.ts';
import { type Away, CALM_NODE, nodeWeather } from './weather.ts';

/** Each at its time. */
export class Turmoil {
  readonly #plan: Plan;
  readonly #timeline: Timeline;
  readonly #nodes: readonly Node[];
  readonly #loseReadModels: () => void;
  readonly #away = new Map<keyof Away, number>();
  readonly #calledOff: (() => void)[] = [];

  constructor(plan: Plan, timeline: Timeline, nodes: readonly Node[], loseReadModels: () => void) {
    this.#plan = plan;
    this.#timeline = timeline;
    this.#nodes = nodes;
    this.#loseReadModels = loseReadModels;
  }

  get weather() {
    const isAway = (what: keyof Away): boolean => (this.#away.get(what) ?? 0) > 0;
    return nodeWeather(this.#plan.badness, { events: isAway('events'), readModels: isAway('readModels'), processor: isAway('processor') });
  }

  begin(): void {
    for (const one of this.#plan.disturbances) this.#calledOff.push(this.#timeline.after(one.atMs, undefined, () => this.#strike(one)));
  }

  /** Everything is there again, and everybody up. */
  async end(): Promise<void> {
    for (const callOff of this.#calledOff) callOff();
    for (const node of this.#nodes) {
      node.resume();
      node.weather = CALM_NODE;
      if (node.owner.isDead && node.service === undefined) node.start();
    }
    await this.#untilReady();
  }

  /** Both nodes end and begin anew. */
  async restart(): Promise<void> {
    for (const node of this.#nodes) {
      node.crash();
      node.start();
    }
    await this.#untilReady();
  }

  async #untilReady(): Promise<void> {
    await this.#timeline.runUntil(() => this.#nodes.every(({ service }) => service?.readiness().ready === true), 120_000);
  }

  #strike(one: Disturbance): void {
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
      case 'store away':
        this.#takeAway(one.store, one.forMs);
        return;
      case 'processor away':
        this.#takeAway('processor', one.forMs);
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
    if (node === undefined || node.owner.isDead) return; // it is down already
    node.crash();
    this.#calledOff.push(this.#timeline.after(downMs, undefined, () => node.start()));
  }

  #takeAway(what: keyof Away, forMs: number): void {
    const change = (by: number): void => {
      this.#away.set(what, (this.#away.get(what) ?? 0) + by);
      for (const node of this.#nodes) node.weather = this.weather;
    };
    change(1);
    this.#calledOff.push(this.#timeline.after(forMs, undefined, () => change(-1)));
  }
}
