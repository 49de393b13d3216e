// One node of the simulation: one incarnation of the whole service after another. Each may pause or crash between any
// two steps.

import { AppError, Notice } from '../../src/app-error.ts';
import type { SecretOf } from '../../src/commands/connections/secret-reference.ts';
import type { Post } from '../../src/commands/webhooks/post.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { type OpenCaller, stripeApi } from '../../src/processors/stripe/api.ts';
import { openStripe } from '../../src/processors/stripe/stripe.ts';
import { defaultTimings } from '../../src/projections/engine/timings.ts';
import type { Secrets } from '../../src/secrets.ts';
import { openService, type Service } from '../../src/service.ts';
import type { Append, Appended, EventStore } from '../../src/stores/event-store.ts';
import type { MemoryEventStore } from '../../src/stores/memory/event-store.ts';
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { Link, type Weather } from './link.ts';
import { type DelayedCalls, type ProcessorParts, type ProcessorWeather, processorOver } from './processor-over-link.ts';
import { chance, type Random, randomOf } from './random.ts';
import type { RefusedTokens } from './routes.ts';
import { type BusinessClock, simulatedWorld } from './simulated-world.ts';
import { eventsOver, readModelsOver } from './stores-over-link.ts';
import { Owner, type Timeline } from './timeline.ts';
import type { Variant } from './variant.ts';

/** The twins of Stripe, for one incarnation of a node. */
export interface ReachedTwins {
  readonly secretOf: SecretOf;
  /** Calls them over the link of the parts. */
  readonly callerOver: (parts: ProcessorParts, weather: () => ProcessorWeather) => OpenCaller;
}

/** The parts that all nodes share, and that outlive each of them. */
export interface Surroundings {
  readonly seed: string;
  readonly timeline: Timeline;
  readonly clock: BusinessClock;
  readonly delayedCalls: DelayedCalls;
  readonly secrets: Secrets;
  readonly events: MemoryEventStore;
  /** Empty again after the read models were lost. */
  readonly readModels: () => ReadModelStore;
  readonly processor: Processor;
  /** Undefined: the sandbox has one connection, and refuses nothing besides what its cards say. */
  readonly refused: RefusedTokens | undefined;
  /** Undefined: no connection is to Stripe. */
  readonly twins: ReachedTwins | undefined;
  readonly variant: Variant;
  readonly tell: (line: () => string) => void;
  /** Reports a fault that no caller can act on. An unavailable store is no such fault. */
  readonly fault: (fault: unknown) => void;
  /** Called for every operation that a node asks of the processor. */
  readonly asked: (reference: string, connectionId: string | undefined) => void;
  /** The calls of receivers by one incarnation. */
  readonly post: (owner: Owner, random: Random) => Post;
}

export interface NodeWeather {
  readonly events: Weather;
  readonly readModels: Weather;
  readonly processor: Weather;
  /** The link to the second sandbox of a routed world. */
  readonly second: Weather;
  readonly calls: ProcessorWeather;
}

/** Half as often as by default: these timers run even when nothing else does, and no test waits for them. */
const engineTimings = {
  ...defaultTimings,
  pollMs: 2_000,
  staleMs: 4_000,
  joinMs: 4_000,
  checkpointMs: 3_000,
  leaseBeatMs: 2_000,
  leaseDeadMs: 7_000,
};

/** The share of incarnations whose store appends to several streams at once: a log has writers of both kinds. */
const TOGETHER = 0.5;
/** Between the end of one incarnation and the start of the next, ms. */
const RESTART_MS = 2_000;

export class Node {
  readonly name: string;
  readonly #around: Surroundings;
  readonly #skewMs: number;
  #weather: NodeWeather;
  #owner = new Owner();
  #links:
    | { readonly events: Link; readonly readModels: Link; readonly processor: Link; readonly second: Link }
    | undefined;
  #incarnation = 0;
  /** All incarnations so far. */
  readonly #runs: { readonly owner: Owner; readonly over: AbortController }[] = [];
  #service: Service | undefined;

  constructor(name: string, around: Surroundings, skewMs: number, weather: NodeWeather) {
    this.name = name;
    this.#around = around;
    this.#skewMs = skewMs;
    this.#weather = weather;
  }

  /** Undefined while the node is down or starting. */
  get service(): Service | undefined {
    return this.#service;
  }

  get owner(): Owner {
    return this.#owner;
  }

  /** Opens the service on the stores, again and again until they answer, and runs it. */
  start(): void {
    this.#incarnation += 1;
    const owner = new Owner();
    const over = new AbortController();
    this.#owner = owner;
    this.#runs.push({ owner, over });
    this.#around.tell(() => `${this.name} starts: incarnation ${this.#incarnation}`);
    this.#open(owner).then(
      (service) => {
        this.#service = service;
        this.weather = this.#weather;
        service.run(over.signal).catch((fault: unknown) => owner.isDead || this.#around.fault(fault));
      },
      (fault: unknown) => {
        if (!isExpected(fault)) this.#around.fault(fault);
        owner.isDead = true;
        this.#around.timeline.after(RESTART_MS, undefined, () => this.start());
      },
    );
  }

  /** Like kill -9: no work goes on, and no awaited answer arrives. */
  crash(): void {
    this.#around.tell(() => `${this.name} crashes`);
    this.#owner.isDead = true;
    this.#service = undefined;
  }

  /**
   * Ends the simulation of this node. It aborts all waits, because their signals would keep the whole world in memory.
   */
  end(): void {
    this.crash();
    for (const { owner, over } of this.#runs) {
      owner.isDead = true;
      over.abort();
    }
  }

  pause(): void {
    this.#around.tell(() => `${this.name} is paused`);
    this.#owner.pause();
  }

  resume(): void {
    if (!this.#owner.isPaused) return;
    this.#around.tell(() => `${this.name} resumes`);
    this.#around.timeline.resume(this.#owner);
  }

  set weather(weather: NodeWeather) {
    this.#weather = weather;
    if (this.#links === undefined) return;
    this.#links.events.weather = weather.events;
    this.#links.readModels.weather = weather.readModels;
    this.#links.processor.weather = weather.processor;
    this.#links.second.weather = weather.second;
  }

  #open(owner: Owner): Promise<Service> {
    const {
      seed,
      timeline,
      clock,
      delayedCalls,
      secrets,
      events,
      readModels,
      processor,
      refused,
      twins,
      variant,
      asked,
      fault,
      tell,
      post,
    } = this.#around;
    const random = (of: string) => randomOf(seed, this.name, this.#incarnation, of);
    const link = (of: 'events' | 'readModels' | 'processor' | 'second') =>
      new Link(timeline, owner, random(of), whileOpening(this.#weather[of]));
    const links = {
      events: link('events'),
      readModels: link('readModels'),
      processor: link('processor'),
      second: link('second'),
    };
    this.#links = links;
    const own = simulatedWorld({ timeline, clock, random: random('world'), owner, skewMs: this.#skewMs });
    const world = variant.world?.(own) ?? own;
    const parts: ProcessorParts = {
      timeline,
      delayedCalls,
      link: links.processor,
      ...(refused && { second: links.second, refused }),
      random: random('calls'),
      asked: (reference, what, connectionId) => {
        tell(() => `${this.name} asks ${connectionId ?? 'the processor'} for ${what}: ${reference}`);
        asked(reference, connectionId);
      },
    };
    const over = processorOver(processor, parts, () => this.#weather.calls);
    const stripe = async (): Promise<Processor> => {
      if (twins === undefined) throw new Error('no connection is to Stripe');
      const openCaller = twins.callerOver(parts, () => this.#weather.calls);
      const its = { world, openCaller, report: () => undefined };
      const adapter = openStripe(its);
      return variant.stripe?.(adapter, stripeApi(its)) ?? adapter;
    };
    const linked = eventsOver(links.events, events, chance(random('store'), TOGETHER));
    const store = variant.events?.(linked) ?? linked;
    const adapters = {
      events: toldOf(this.name, store, tell),
      readModels: readModelsOver(links.readModels, readModels()),
      processors: new Map<string, Processor>([[processor.name, variant.processor?.(over) ?? over]]),
      ...(twins && { openable: new Map([['stripe', stripe]]) }),
      world,
      report: (what: unknown) => {
        if (!isExpected(what) && !owner.isDead) fault(what);
      },
    };
    return openService(adapters, {
      mode: 'test',
      secrets,
      publicUrl: () => 'http://127.0.0.1:4000',
      post: post(owner, random('receivers')),
      cardTestingLimits: false,
      engineTimings,
      ...(twins && { secretOf: twins.secretOf }),
      ...(variant.payments && { paymentsOf: variant.payments }),
      ...(variant.webhooks && { webhooksOf: variant.webhooks }),
    });
  }
}

/**
 * Faults of unavailable stores and of an unavailable Stripe are expected, and so are notices. A node whose first look
 * at the connections failed has no adapter of theirs until it looks again: it says so, and asks later.
 */
const isExpected = (fault: unknown): boolean =>
  fault instanceof StoreUnavailable ||
  fault instanceof Notice ||
  (fault instanceof AppError && fault.code === 'StripeUnavailable') ||
  (fault instanceof Error && fault.message.startsWith('no processor stripe on this node'));

/**
 * A start makes so many calls that bad weather would never let it succeed. It meets unavailable and slow stores, and a
 * tenth of the losses.
 */
const whileOpening = (weather: Weather): Weather =>
  weather.lost === 1 ? weather : { ...weather, lost: weather.lost / 10, answerLost: weather.answerLost / 10 };

/**
 * Adds each append and its result to the history. The node itself waits for the store's own promise, so that a run
 * takes the same turns with or without a history.
 */
function toldOf(name: string, events: EventStore, tell: Surroundings['tell']): EventStore {
  const { appendAll } = events;
  const told = (appends: readonly Append[], appending: Promise<Appended>): Promise<Appended> => {
    const what = ({ stream, after, events: list }: Append): string =>
      `${list.map(({ type }) => type).join(', ')} to ${stream} after ${after}`;
    const end = (how: unknown): void => tell(() => `${name} appends ${appends.map(what).join(', and ')}: ${how}`);
    appending.then(end, end);
    return appending;
  };
  return {
    ...events,
    append: (stream, after, list) => told([{ stream, after, events: list }], events.append(stream, after, list)),
    ...(appendAll !== undefined && { appendAll: (appends) => told(appends, appendAll(appends)) }),
  };
}
