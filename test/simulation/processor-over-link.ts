// The sandbox as a node sees it over a link: calls that never arrive, arrive late, arrive twice, or whose answer is lost.
import { setMaxListeners } from 'node:events';
import type { OperationRequest, Outcome, Processor } from '../../src/processors/processor.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { callOf } from '../support/call-of.ts';
import { forever, type Link } from './link.ts';
import { between, chance, type Random } from './random.ts';
import type { Timeline } from './timeline.ts';

export interface ProcessorWeather {
  /** Refused before anything was sent. */
  readonly notSent: number;
  /** It lies somewhere on its way and takes effect up to `lateMs` after it was sent; until then nobody knows of it. */
  readonly late: number;
  readonly lateMs: number;
  /** It is delivered twice. */
  readonly twice: number;
}

export const CALM_PROCESSOR: ProcessorWeather = { notSent: 0, late: 0, lateMs: 0, twice: 0 };

/** Calls that lie somewhere on their way to the processor: each arrives at its time, or when all are let through. */
export class Backwater {
  readonly #timeline: Timeline;
  readonly #lying = new Set<() => void>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  hold(ms: number, arrive: () => void): void {
    const once = (): void => {
      if (this.#lying.delete(once)) arrive();
    };
    this.#lying.add(once);
    this.#timeline.after(ms, undefined, once);
  }

  letThrough(): void {
    for (const arrive of [...this.#lying]) arrive();
  }
}

export interface ProcessorParts {
  readonly timeline: Timeline;
  readonly backwater: Backwater;
  readonly link: Link;
  readonly random: Random;
  /** Told of every operation that a node asks for, before anything becomes of it. */
  readonly asked: (request: OperationRequest) => void;
}

/** `weather` is asked at each call, so that a run can end in calm. */
export function processorOver(
  processor: Processor,
  { timeline, backwater, link, random, asked }: ProcessorParts,
  weather: () => ProcessorWeather,
): Processor {
  // What has set out goes on, whoever gave up waiting; one a node, because what hangs keeps listening for ever.
  const never = callOf();
  setMaxListeners(0, never.signal);
  const hang = (): Promise<never> => forever(); // until the caller's deadline
  const perform = async (request: OperationRequest): Promise<Outcome> => {
    const { notSent, late, lateMs, twice } = weather();
    if (chance(random, notSent)) return { kind: 'not_sent', detail: 'connection refused' };
    const effect = () => processor.perform(request, never);
    if (chance(random, twice)) timeline.after(between(random, 1, 2_000), undefined, () => void effect());
    if (chance(random, late)) {
      backwater.hold(between(random, 1_000, lateMs), () => void effect());
      return hang();
    }
    return link.call<Outcome>(effect, hang, () => (chance(random, 0.5) ? hang() : { kind: 'unknown', detail: 'connection reset' }));
  };
  return {
    name: processor.name,
    consistencyWindowMs: processor.consistencyWindowMs,
    capabilities: (...args) => processor.capabilities(...args),
    tokenize: (request, call) =>
      link.call(
        () => processor.tokenize(request, call),
        () => Promise.reject(new StoreUnavailable('the processor is away')),
        () => Promise.reject(new StoreUnavailable('the processor did not answer')),
      ),
    perform: (request) => {
      asked(request);
      return perform(request);
    },
    lookUp: (request) =>
      link.call(
        () => processor.lookUp(request, never),
        () => ({ kind: 'unreachable' as const, detail: 'connection refused' }),
        () => ({ kind: 'unreachable' as const, detail: 'connection reset' }),
      ),
    notifications: (...args) => processor.notifications(...args),
    reread: (raw) => processor.reread(raw),
  };
}
