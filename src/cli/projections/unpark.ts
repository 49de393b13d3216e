// counterfoil projections retry and discard: let a parked stream go on, on record as an act of an operator.
import type { Command } from 'commander';
import type { Projections } from '../../projections/engine/engine.ts';
import { streamNameOf, wholeStream } from '../audit/stream-name.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { Refused } from '../exit.ts';
import type { RepairStores } from '../open/with-stores.ts';
import { print } from '../output.ts';

/** Passes over the event that parks a stream, for this read model and for good. */
export function projectionsDiscard(parent: Command): void {
  declare(parent, {
    usage: 'discard <name> <stream>',
    summary: 'Skip the event that parks a stream; the event stays in the log',
    examples: ['projections discard payments payment-pay_0123'],
    settings: STORE_SETTINGS,
  }).action((name: string, stream: string, options: CommonOptions) =>
    unpark(name, stream, options, 'ParkedStreamDiscardRequested', (projections, its, signal) =>
      projections.discard(name, its, signal),
    ),
  );
}

/** Tries a parked stream again, after its fault was mended. */
export function projectionsRetry(parent: Command): void {
  declare(parent, {
    usage: 'retry <name> <stream>',
    summary: 'Try a parked stream again',
    examples: ['projections retry payments payment-pay_0123'],
    settings: STORE_SETTINGS,
  }).action((name: string, stream: string, options: CommonOptions) =>
    unpark(name, stream, options, 'ParkedStreamRetryRequested', (projections, its, signal) =>
      projections.retry(name, its, signal),
    ),
  );
}

/** Throws Refused if the stream is parked again. */
async function unpark(
  name: string,
  streamText: string,
  options: CommonOptions,
  type: 'ParkedStreamRetryRequested' | 'ParkedStreamDiscardRequested',
  goOn: (projections: Projections, stream: string, signal: AbortSignal) => Promise<boolean>,
): Promise<void> {
  const named = streamNameOf(streamText);
  const { checkStoreKey, withProjections } = await import('../open/with-stores.ts');
  const { LOG } = await import('../../projections/engine/parked/parked-records.ts');
  const { accountOfStream } = await import('../../queries/streams/own-streams.ts');
  const { recordFor } = await import('./put-on-record.ts');
  const { interruptible } = await import('../interrupt.ts');
  const work = async (stores: RepairStores, signal: AbortSignal): Promise<void> => {
    const { projections, events } = stores;
    await checkStoreKey(stores, name);
    const stream = await wholeStream(events, named);
    const parked = (await projections.parked(name, { withReleased: true })).find((one) => one.stream === stream);
    // One that is not parked, and a break that cannot be passed over, are refused below and leave no event.
    if (parked !== undefined && !(name === LOG.name && type === 'ParkedStreamDiscardRequested')) {
      const accountId = (await accountOfStream(events, stream)) ?? '';
      await (await recordFor(stores))(accountId, {
        type,
        data: { projection: name, stream, revision: parked.revision },
      });
    }
    const goesOn = await goOn(projections, stream, signal);
    print(
      {
        json: { projection: name, stream, goesOn },
        text: goesOn ? `${stream} is no longer parked.` : `${stream} is still parked.`,
      },
      options,
    );
    if (!goesOn) throw new Refused(`${stream} is parked again: counterfoil projections parked ${name}`);
  };
  await interruptible('Stopping. Run the same command again to continue.', (signal) =>
    withProjections(options, (stores) => work(stores, signal), { signal }),
  );
}
