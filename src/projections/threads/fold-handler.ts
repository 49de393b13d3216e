// The module that the threads of a rebuild load: it knows every read model by its name.
import { foldWorkOf } from '../engine/rebuild/fold-work.ts';
import { allProjections } from '../models/all.ts';

export const openWork = foldWorkOf(allProjections);
