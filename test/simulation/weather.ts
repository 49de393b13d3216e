// The weather of a run, computed from one badness: how often calls of nodes, processor and network fail.
import { CALM, type Weather } from './link.ts';
import { CALM_NETWORK, type NetworkWeather } from './network.ts';
import type { NodeWeather } from './node.ts';
import { CALM_PROCESSOR } from './processor-over-link.ts';

export const CALM_NODE: NodeWeather = {
  events: CALM,
  readModels: CALM,
  processor: CALM,
  second: CALM,
  calls: CALM_PROCESSOR,
};

/** Every call to the processor takes effect, and every answer is lost. */
export const UNHEARD_PROCESSOR: NodeWeather = {
  ...CALM_NODE,
  processor: { lost: 0, answerLost: 1, slow: 0, slowMs: 0 },
  second: { lost: 0, answerLost: 1, slow: 0, slowMs: 0 },
};

/** Answers no call. */
const UNAVAILABLE = { lost: 1, answerLost: 0, slow: 0, slowMs: 0 };

export interface Unavailable {
  readonly events: boolean;
  readonly readModels: boolean;
  readonly processor: boolean;
  /** The two sandboxes of a routed world. */
  readonly sandboxes: readonly [boolean, boolean];
}

export function nodeWeather(badness: number, unavailable: Unavailable, isRouted: boolean): NodeWeather {
  if (badness === 0) return CALM_NODE;
  return {
    events: unavailable.events
      ? UNAVAILABLE
      : { lost: 0.003 * badness, answerLost: 0.004 * badness, slow: 0.01 * badness, slowMs: 4_000 },
    readModels: unavailable.readModels
      ? UNAVAILABLE
      : { lost: 0.003 * badness, answerLost: 0.003 * badness, slow: 0.01 * badness, slowMs: 4_000 },
    processor: processorWeather(badness, unavailable.processor || unavailable.sandboxes[0]),
    second: processorWeather(badness, unavailable.processor || unavailable.sandboxes[1]),
    // As late as a processor may be: a call of at most 5 s can be looked up before the consistency window after our
    // deadline ends (150 s), even when its card hides it for a minute more.
    calls: {
      notSent: (isRouted ? 0.06 : 0.01) * badness,
      late: 0.01 * badness,
      lateMs: 80_000,
      twice: 0.01 * badness,
      badAnswer: 0.03 * badness,
      refused: isRouted ? 0.05 * badness : 0,
    },
  };
}

const processorWeather = (badness: number, isUnavailable: boolean): Weather =>
  isUnavailable
    ? UNAVAILABLE
    : { lost: 0.01 * badness, answerLost: 0.015 * badness, slow: 0.02 * badness, slowMs: 40_000 };

export const networkWeather = (badness: number): NetworkWeather =>
  badness === 0
    ? CALM_NETWORK
    : {
        requestLost: 0.01 * badness,
        answerLost: 0.02 * badness,
        notificationLost: 0.05 * badness,
        notificationTwice: 0.1 * badness,
        notificationLate: 0.15 * badness,
      };
