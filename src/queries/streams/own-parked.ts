// The parked streams of one account, out of those of all: only the first event of a stream says whose it is.
import type { ParkedStream } from '../../projections/engine/parked/parked-records.ts';

interface OwnParked {
  readonly own: readonly ParkedStream[];
  /** The number of streams of other accounts among those that were checked. */
  readonly others: number;
  /** True if every parked stream was looked at. */
  readonly isWhole: boolean;
}

/** `isOwn` reads an event. `most`: so many streams are looked at. */
export async function ownParked(
  parked: readonly ParkedStream[],
  isOwn: (one: ParkedStream) => Promise<boolean>,
  most: number,
): Promise<OwnParked> {
  const looked = parked.slice(0, most);
  const answers = await Promise.all(looked.map(isOwn));
  const own = looked.filter((_, place) => answers[place] === true);
  return { own, others: looked.length - own.length, isWhole: looked.length === parked.length };
}
