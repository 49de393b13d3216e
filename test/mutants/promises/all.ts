// Every fault, in the order in which they are planted.
import { ADAPTER_FAULTS } from './adapters.ts';
import { CARD_NUMBERS } from './card-numbers.ts';
import { CONTRACT } from './contract.ts';
import { DURABLE } from './durable.ts';
import { ERASED } from './erased.ts';
import type { Fault } from './fault.ts';
import { KEY_CHANGES } from './key-changes.ts';
import { MEND_10 } from './mend-10.ts';
import { MEND_24 } from './mend-24.ts';
import { MEND_39 } from './mend-39.ts';
import { NEVER_GUESSED } from './never-guessed.ts';
import { NEVER_TWICE } from './never-twice.ts';
import { ONE_PERIOD } from './one-period.ts';
import { LOG, PAST } from './past.ts';
import { PEOPLE } from './people.ts';
import { READS_SEE_WRITES } from './reads-see-writes.ts';
import { REPAIRED } from './repaired.ts';
import { VARIANT_FAULTS } from './variants.ts';

export const ALL_FAULTS: readonly Fault[] = [
  ...NEVER_TWICE,
  ...ONE_PERIOD,
  ...NEVER_GUESSED,
  ...DURABLE,
  ...REPAIRED,
  ...READS_SEE_WRITES,
  ...PAST,
  ...LOG,
  ...ERASED,
  ...CARD_NUMBERS,
  ...KEY_CHANGES,
  ...CONTRACT,
  ...VARIANT_FAULTS,
  ...ADAPTER_FAULTS,
  ...MEND_39,
  ...MEND_24,
  ...MEND_10,
  ...PEOPLE,
];
