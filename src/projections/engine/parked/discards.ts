// The events that an operator discarded: documents, so that every process and every rebuild has them.
import type { StoredEvent } from '../../../stores/event-store.ts';
import type { Collection, ReadModels } from '../../../stores/read-models.ts';

/** Events that an operator ordered to skip; they apply to every future generation. */
const discards: Collection<{ readonly at: number }, never> = {
  name: 'discards',
  version: 1,
  keys: {},
  indexes: [],
};

export const discardId = (projection: string, stream: string, revision: number): string =>
  `${projection}/${stream}@${revision}`;

/** Orders an event to be passed over: the document stays as it is, and the next event follows. */
export async function discard(
  store: ReadModels,
  projection: string,
  stream: string,
  revision: number,
  at: number,
): Promise<void> {
  await store.write(discards, [{ id: discardId(projection, stream, revision), revision: 0, doc: { at } }]);
}

export async function isDiscarded(
  store: ReadModels,
  projection: string,
  { stream, revision }: Pick<StoredEvent, 'stream' | 'revision'>,
): Promise<boolean> {
  return (await store.get(discards, [discardId(projection, stream, revision)])).length > 0;
}

const PAGE = 1_000;

/** The ids of all discarded events. */
export async function discardIds(store: Pick<ReadModels, 'find'>): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let after: string | undefined; ; ) {
    const place = after === undefined ? {} : { after: { key: '', id: after } };
    const rows = await store.find(discards, { where: {}, limit: PAGE, ...place });
    for (const { id } of rows) ids.add(id);
    if (rows.length < PAGE) return ids;
    after = rows.at(-1)?.id;
  }
}
