// Read models that hold nothing and remember the shape of each find, for tests that hold finds against indexes.
import { indexFor, isList } from '../../src/stores/query-index.ts';
import type { Collection, PlaceQuery, Query, ReadModels } from '../../src/stores/read-models.ts';

export interface Shape {
  /** The read model's name. */
  readonly model: string;
  /** The read model, the equal keys, the ranges and the order, in one line. */
  readonly text: string;
  /** The index that serves it; undefined without one. */
  readonly index: string | undefined;
  /** Keys of its conditions that are checked row by row. */
  readonly beside: readonly string[];
}

export interface ShapeRecorder extends ReadModels {
  /** By text. */
  readonly shapes: ReadonlyMap<string, Shape>;
}

export function shapeRecorder(): ShapeRecorder {
  const shapes = new Map<string, Shape>();
  const note = <Doc extends object, K extends string>(of: Collection<Doc, K>, query: Query<K> | PlaceQuery<K>): void => {
    const shape = shapeOf(of, query);
    shapes.set(shape.text, shape);
  };
  return {
    shapes,
    get: async () => [],
    write: async () => [],
    count: async () => 0,
    close: async () => undefined,
    find: async (of, query) => {
      note(of, query);
      return [];
    },
    place: async (of, query) => {
      note(of, query);
      return undefined;
    },
  };
}

function shapeOf<Doc extends object, K extends string>(of: Collection<Doc, K>, query: Query<K> | PlaceQuery<K>): Shape {
  const { where, order } = query;
  const equal: string[] = [];
  const ranges: string[] = [];
  for (const name in where) {
    const condition = where[name];
    if (condition !== undefined) (isList(condition) ? equal : ranges).push(name);
  }
  const index = indexFor(of, query);
  const served: readonly string[] = index ?? [];
  // A range is a piece of an index only on the key that the rows are in the order of.
  const beside = [...equal.filter((name) => !served.includes(name)), ...ranges.filter((name) => index === undefined || name !== order?.by)];
  const conditions = [...equal, ...ranges.map((name) => `${name}…`)].join();
  return { model: of.name, text: `${of.name}(${conditions})${order === undefined ? '' : ` by ${order.by}`}`, index: index?.join(), beside };
}
