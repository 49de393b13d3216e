// Read models that hold nothing and remember the shape of each find, for tests that hold finds against indexes.
import { type FindQuery, findQuery } from '../../src/stores/mongodb/find-query.ts';
import { indexFor, isList, type KeyRange } from '../../src/stores/query-index.ts';
import type { Collection, Key, PlaceQuery, Query, ReadModels } from '../../src/stores/read-models.ts';

export interface Shape {
  /** The read model's name. */
  readonly model: string;
  /** The read model, the equal keys, the ranges and the order, in one line. */
  readonly text: string;
  /** The index that serves it; undefined without one. */
  readonly index: string | undefined;
  /** Keys of its conditions that are checked row by row. */
  readonly beside: readonly string[];
  /** The conditions and the order, as one of the finds of this shape had them. */
  readonly asked: Asked;
}

export interface Asked {
  readonly indexes: readonly (readonly string[])[];
  readonly where: Readonly<Record<string, readonly Key[] | KeyRange>>;
  /** As MongoDB takes it. */
  readonly query: FindQuery;
  /** Rows that are passed over first: those before the place that is looked for. */
  readonly skip: number;
  readonly limit: number;
}

export interface ShapeRecorder extends ReadModels {
  /** By text. */
  readonly shapes: ReadonlyMap<string, Shape>;
}

export function shapeRecorder(): ShapeRecorder {
  const shapes = new Map<string, Shape>();
  const note = <Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    query: Query<K> | PlaceQuery<K>,
    skip: number,
    limit: number,
  ): void => {
    const shape = shapeOf(of, query, skip, limit);
    if (shape !== undefined) shapes.set(shape.text, shape);
  };
  return {
    shapes,
    get: async () => [],
    write: async () => [],
    remove: async () => 0,
    count: async () => 0,
    close: async () => undefined,
    find: async (of, query) => {
      note(of, query, 0, query.limit);
      return [];
    },
    place: async (of, query, nth) => {
      note(of, query, nth - 1, 1);
      return undefined;
    },
  };
}

/** Undefined for a find that nothing can match. */
function shapeOf<Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  query: Query<K> | PlaceQuery<K>,
  skip: number,
  limit: number,
): Shape | undefined {
  const { where, order } = query;
  const wanted = findQuery(of, query);
  if (wanted === undefined) return undefined;
  const conditionsOf: Record<string, readonly Key[] | KeyRange> = {};
  const equal: string[] = [];
  const ranges: string[] = [];
  for (const name in where) {
    const condition = where[name];
    if (condition === undefined) continue;
    (isList(condition) ? equal : ranges).push(name);
    conditionsOf[name] = condition;
  }
  const index = indexFor(of, query);
  const served: readonly string[] = index ?? [];
  // A range is a piece of an index only on the key that the rows are in the order of.
  const beside = [
    ...equal.filter((name) => !served.includes(name)),
    ...ranges.filter((name) => index === undefined || name !== order?.by),
  ];
  const conditions = [...equal, ...ranges.map((name) => `${name}…`)].join();
  const asked = { indexes: of.indexes, where: conditionsOf, query: wanted, skip, limit };
  return {
    model: of.name,
    text: `${of.name}(${conditions})${order === undefined ? '' : ` by ${order.by}`}`,
    index: index?.join(),
    beside,
    asked,
  };
}
