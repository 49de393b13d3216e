// A collection of MongoDB by the clients that are in use now.
import type { Collection, Db, Document } from 'mongodb';

/** Answers the collection of the database that `current` names; made once for each database. */
export function collectionOf<Row extends Document>(name: string, current: () => Db): () => Collection<Row> {
  let of: Db | undefined;
  let made: Collection<Row> | undefined;
  return () => {
    const database = current();
    if (made === undefined || of !== database) {
      of = database;
      made = database.collection<Row>(name);
    }
    return made;
  };
}
