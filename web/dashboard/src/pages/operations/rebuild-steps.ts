// The steps of a rebuild in the order in which they pass, and how much of the whole is done.
import type { RebuildAnswer } from './projection-queries.ts';

interface RebuildStep {
  readonly step: RebuildAnswer['step'];
  readonly title: string;
  /** What happens in it. */
  readonly does: string;
  /** The part of the bar at which it begins, 0 to 1. */
  readonly from: number;
}

export const REBUILD_STEPS: readonly RebuildStep[] = [
  { step: 'claiming', title: 'Claim', does: 'One builder at a time', from: 0 },
  { step: 'building', title: 'Read the log', does: 'Every event, from the first', from: 0.02 },
  { step: 'indexing', title: 'Build indexes', does: 'Last, because that is quicker', from: 0.72 },
  { step: 'joining', title: 'Join live writes', does: 'Every process writes both', from: 0.78 },
  { step: 'comparing', title: 'Compare', does: 'Document by document', from: 0.9 },
];

/** Of the whole, 0 to 1: reading the log is most of it, and tells how far it is. */
export function shareOf({ step, share }: Pick<RebuildAnswer, 'step' | 'share'>): number {
  const at = REBUILD_STEPS.findIndex((one) => one.step === step);
  const from = REBUILD_STEPS[at]?.from ?? 0;
  const to = REBUILD_STEPS[at + 1]?.from ?? 1;
  return step === 'building' ? from + share * (to - from) : from;
}

/** Events a second, and the seconds that are left of reading; undefined before there is anything to reckon with. */
export function paceOf({ events, share, elapsedMs }: Pick<RebuildAnswer, 'events' | 'share' | 'elapsedMs'>) {
  if (elapsedMs < 200 || events === 0 || share <= 0) return undefined;
  const perSecond = Math.round((events * 1_000) / elapsedMs);
  const total = Math.max(events, Math.round(events / share));
  return { perSecond, total, secondsLeft: Math.ceil((elapsedMs / share - elapsedMs) / 1_000) };
}
