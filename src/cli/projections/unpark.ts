// Lets a parked stream go on, in the way that the command says; refused when it is parked again.
import type { Projections } from '../../projections/engine/engine.ts';
import { streamNameOf } from '../audit/stream-name.ts';
import type { CommonOptions } from '../command.ts';
import { Refused } from '../exit.ts';
import { print } from '../output.ts';

export async function unpark(
  name: string,
  streamText: string,
  options: CommonOptions,
  goOn: (projections: Projections, stream: string) => Promise<boolean>,
): Promise<void> {
  const stream = streamNameOf(streamText);
  const { withProjections } = await import('../open/with-stores.ts');
  await withProjections(options, async (projections) => {
    const goesOn = await goOn(projections, stream);
    print({ json: { projection: name, stream, goesOn }, text: goesOn ? `${stream} goes on.` : `${stream} is still parked.` }, options);
    if (!goesOn) throw new Refused(`${stream} is parked again: counterfoil projections parked ${name}`);
  });
}
