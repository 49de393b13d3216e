// Work on streams that may be broken, at a start and for a sign-in to another account: such a stream stops neither, and
// readiness names it.
import { UnknownEvent } from '../../journal/envelope.ts';
import { BrokenStream } from '../../stores/broken-stream.ts';

/** The work's answer; undefined if its stream is broken, or only a newer node can read it. */
export async function unlessUnreadable<T>(
  report: (fault: unknown) => void,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof BrokenStream) return undefined; // told where it was found
    if (!(fault instanceof UnknownEvent)) throw fault;
    report(fault);
    return undefined;
  }
}
