// The moment from which a change of the command line holds: its document is written, where every request of every
// process reads it.
import type { Completed } from '../commands/caller.ts';
import type { Rejection } from '../domain/decider.ts';
import type { Collection, ReadModels } from '../stores/read-models.ts';
import type { World } from '../world.ts';
import { Refused, Unavailable } from './exit.ts';

const WAIT_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** The completed answer; throws Refused with the rejection's words. */
export function unlessRefused<Doc, Done extends Completed<Doc>>(answer: Done | Rejection): Done {
  if (answer.kind === 'rejected') throw new Refused(answer.description, answer.errorId);
  return answer;
}

/** The completed answer, once it has taken effect. Throws Refused with the rejection's words, and as untilEffective. */
export async function effective<Doc extends object, K extends string, Done extends Completed<Doc>>(
  service: Parameters<typeof untilEffective>[0],
  of: Collection<Doc, K>,
  answer: Done | Rejection,
): Promise<Done> {
  const done = unlessRefused<Doc, Done>(answer);
  await untilEffective(service, of, done);
  return done;
}

const isThere = <Doc extends { readonly status: string }>(
  doc: Doc,
): doc is Exclude<Doc, { readonly status: 'absent' }> => doc.status !== 'absent';

/** The state of a thing that was just changed. */
export function existing<Doc extends { readonly status: string }>(
  doc: Doc,
): Exclude<Doc, { readonly status: 'absent' }> {
  if (!isThere(doc)) throw new TypeError('what was just changed is absent');
  return doc;
}

/**
 * Resolves when the read model has the document at this revision or a newer one. The command itself has written it as a
 * rule; when that failed a running service's follower brings it. Throws Unavailable after 5 s: the event is there, its
 * effect is not.
 */
export async function untilEffective<Doc extends object, K extends string>(
  { readModels, world }: { readonly readModels: ReadModels; readonly world: World },
  of: Collection<Doc, K>,
  { id, revision }: { readonly id: string; readonly revision: number },
): Promise<void> {
  const deadline = world.monotonic() + WAIT_MS;
  for (;;) {
    const [row] = await readModels.get(of, [id]);
    if (row !== undefined && row.revision >= revision) return;
    if (world.monotonic() >= deadline) break;
    await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }
  throw new Unavailable(
    `The change is recorded, but the read model ${of.name} does not have it yet: it has not taken effect on every node.`,
  );
}
