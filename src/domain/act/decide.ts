// The decisions on an act: it is put on record once.
import { accept, type Decision } from '../decider.ts';
import type { ActEvent } from './events.ts';
import { type Act, isReleasedAt, releasedIn } from './state.ts';

/** On record already: nothing. */
export const requestAct =
  (request: ActEvent) =>
  (act: Act): Decision<ActEvent> =>
    act.status === 'absent' ? accept(request) : accept();

interface ReleaseRequest {
  readonly stream: string;
  /** The revisions at which it is parked. */
  readonly parkedAt: readonly number[];
  /** The stream's last one; undefined if no event of it can be read. */
  readonly last: number | undefined;
}

/** Released at all of these revisions already: nothing. */
export const requestRelease =
  ({ stream, parkedAt, last }: ReleaseRequest) =>
  (act: Act): Decision<ActEvent> => {
    if (parkedAt.every((revision) => isReleasedAt(releasedIn(act), revision))) return accept();
    const upTo = last === undefined ? {} : { upTo: Math.max(last, ...parkedAt) };
    return accept({ type: 'ParkedStreamReleaseRequested', data: { stream, revision: Math.min(...parkedAt), ...upTo } });
  };
