// counterfoil projections release: lets every read model go on without a stream, from the event on that parks it.
import type { Command } from 'commander';
import type { ParkedStream } from '../../projections/engine/parked/parked-records.ts';
import { streamNameOf, wholeStream } from '../audit/stream-name.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { Refused } from '../exit.ts';
import type { RepairStores } from '../open/with-stores.ts';
import { print } from '../output.ts';

export function projectionsRelease(parent: Command): void {
  declare(parent, {
    usage: 'release <stream>',
    summary:
      'Let every read model continue without a parked stream, starting at the event that cannot be read; the stream stays in the log',
    examples: ['projections release payment-pay_0123'],
    rules: [
      'Read models continue without the stream, from its first unreadable event up to its current last one. The release is an event, which a rebuild applies too.',
      'The stream no longer degrades a node and is not a hole in the books. An error at a later event parks it again.',
      'A second release does nothing and says so; a stream that is not parked is refused.',
    ],
    json: '{stream, from, isNew}',
    settings: STORE_SETTINGS,
  }).action(async (text: string, options: CommonOptions) => {
    const named = streamNameOf(text);
    const { withProjections } = await import('../open/with-stores.ts');
    await withProjections(options, async (work) => {
      const stream = await wholeStream(work.events, named);
      const { from, isNew } = await release(work, stream);
      const said = `Every read model continues without ${stream} from revision ${from} on.`;
      print(
        { json: { stream, from, isNew }, text: isNew ? said : `${said} The stream was already released.` },
        options,
      );
    });
  });
}

/** Puts the release on record, and then does it. Throws Refused for a stream that is not parked. */
async function release(
  work: RepairStores,
  stream: string,
): Promise<{ readonly from: number; readonly isNew: boolean }> {
  const { projections, events } = work;
  const parked = (await projections.parked()).filter((one) => one.stream === stream);
  const waiting = parked.filter(({ reason }) => reason !== 'limited');
  let isNew = false;
  if (waiting.length > 0) {
    const { recordRelease } = await import('../../commands/acts/record-release.ts');
    const { accountOfStream } = await import('../../queries/streams/own-streams.ts');
    const { actsFor } = await import('./put-on-record.ts');
    const needs = await actsFor(work);
    if (needs === undefined) throw new Refused(`${stream} cannot be released: the read models belong to another log.`);
    const accountId = (await accountOfStream(events, stream)) ?? '';
    isNew = await recordRelease(
      { ...needs, events },
      { accountId, stream, parkedAt: waiting.map(({ revision }) => revision) },
    );
  }
  await projections.release(stream);
  const from = (await projections.releasedOf(stream)).at(-1)?.from;
  if (from === undefined) throw new Refused(await whyNot(work, stream, parked));
  return { from, isNew };
}

async function whyNot({ events }: RepairStores, stream: string, parked: readonly ParkedStream[]): Promise<string> {
  if (parked.length > 0)
    return `${stream} is not parked, but the metadata of the stream tells the event store to delete events of it. The stream is complete so far. Remove the limit from its metadata.`;
  const { breakIn } = await import('../../journal/chain.ts');
  const broken = await breakIn(events, stream);
  // a start or a rebuild meets the break, and a read of its resource
  if (broken !== undefined)
    return `${broken.message}. It is not parked, because no read model has met the break yet: restore the log, or start the service and release the stream then.`;
  for await (const _ of events.read(stream, -1, 1)) return `${stream} is not parked: every read model can read it.`;
  return `There is no stream ${stream} in the log.`;
}
