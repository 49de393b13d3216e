// The connections of this node: until operators make them, one for each processor, named like it and without secrets.
import type { Connection } from './processor.ts';

export const connectionAt = (processor: string): Connection => ({ connectionId: processor, processor, secrets: {} });
