// Disputes in words: reasons, and what is left of the time to answer.
import { statusWords } from '../../parts/status-badge.tsx';
import type { ListedDispute } from './dispute-queries.ts';

/** `Fraudulent · 10.4` */
export const reasonWords = ({ reason, reasonCode }: Pick<ListedDispute, 'reason' | 'reasonCode'>): string =>
  [reason === undefined ? undefined : statusWords(reason), reasonCode].filter((one) => one !== undefined).join(' · ') || '–';
