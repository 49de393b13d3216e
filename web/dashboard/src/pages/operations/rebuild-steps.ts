// The steps of a rebuild in their order, and how much of the whole is done.
import type { RebuildAnswer } from './projection-queries.ts';

interface RebuildStep {
  readonly step: RebuildAnswer['step'];
  readonly title: string;
  /** A description of the step. */
  readonly does: string;
  /** The place on the bar at which the step begins, 0 to 1. */
  readonly from: number;
}

export const REBUILD_STEPS: readonly RebuildStep[] = [
  { step: 'claiming', title: 'Claim', does: 'One builder at a time', from: 0 },
  { step: 'building', title: 'Read the log', does: 'Every event, from the first', from: 0.02 },
  { step: 'indexing', title: 'Build indexes', does: 'Last, because this is faster', from: 0.72 },
  { step: 'joining', title: 'Join live writes', does: 'Every process writes both', from: 0.78 },
  { step: 'comparing', title: 'Compare', does: 'Document by document', from: 0.9 },
];

/** The part of the whole that is done, 0 to 1. Most of it is reading the log. */
export function shareOf({ step, share }: Pick<RebuildAnswer, 'step' | 'share'>): number {
  const at = REBUILD_STEPS.findIndex((one) => one.step === step);
  const from = REBUILD_STEPS[at]?.from ?? 0;
  const to = REBUILD_STEPS[at + 1]?.from ?? 1;
  return step === 'building' ? from + share * (to - from) : from;
}

/** Events a second and the seconds of reading that remain, or undefined before there are figures. */
export function paceOf({ events, share, elapsedMs }: Pick<RebuildAnswer, 'events' | 'share' | 'elapsedMs'>) {
  if (elapsedMs < 200 || events === 0 || share <= 0) return undefined;
  const perSecond = Math.round((events * 1_000) / elapsedMs);
  const total = Math.max(events, Math.round(events / share));
  return { perSecond, total, secondsLeft: Math.ceil((elapsedMs / share - elapsedMs) / 1_000) };
}
