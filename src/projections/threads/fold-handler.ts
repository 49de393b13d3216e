// Loaded by the threads of a rebuild: they find a read model by its name.
import { foldWorkOf } from '../engine/rebuild/fold-work.ts';
import { allProjections } from '../models/all.ts';

export const openWork = foldWorkOf(allProjections);
