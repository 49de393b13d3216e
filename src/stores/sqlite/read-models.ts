// The read-model port over SQLite files: one for collections without generations, and one for each generation of a
// collection.
import { access, mkdir, open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { World } from '../../world.ts';
import {
  type Builder,
  type Collection,
  type Inspection,
  NoSuchGeneration,
  type Place,
  type PlaceQuery,
  type Query,
  type ReadModelStore,
  type RowAt,
  type Stored,
  type StoredText,
} from '../read-models.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { docOf } from '../typed-doc.ts';
import { FileGone } from './file/opened-file.ts';
import { BuildThread, buildFile } from './read-model-builder.ts';
import { Checkpointer } from './read-model-checkpointer.ts';
import { cleanFiles } from './read-model-cleaner.ts';
import { ReadModelFile } from './read-model-file.ts';
import { findStatement, placeStatement } from './read-model-sql.ts';
import { type Row, type RowChange, type RowRemoval, type Shape, shapeOf, type Table } from './read-model-table.ts';
import { damageIn } from './shared-file.ts';

interface SqliteReadModelsOptions {
  /** `…/read-models.db`; generations are next to it as `…/read-models.<name>.<generation>.db`. */
  readonly file: string;
  /** Faults of the upkeep that no caller can act on. */
  readonly report: (fault: unknown) => void;
  readonly world: World;
}

/** Opens the store; files are made when they are first wanted. Any number of processes may have it open. */
export async function openSqliteReadModels(options: SqliteReadModelsOptions): Promise<SqliteReadModels> {
  const models = new SqliteReadModels(options);
  await mkdir(dirname(options.file), { recursive: true }).catch((cause: unknown) => {
    throw new StoreUnavailable(`The directory of ${options.file} cannot be used: ${String(cause)}`, { cause });
  });
  return models;
}

interface Opened {
  readonly file: ReadModelFile;
  readonly table: Table;
  readonly shape: Shape;
}

export class SqliteReadModels implements ReadModelStore {
  readonly #options: SqliteReadModelsOptions;
  readonly #checkpointer: Checkpointer;
  readonly #builds = new BuildThread();
  readonly #files = new Map<string, Promise<ReadModelFile>>();
  /** By collection, which is the same object for every call about one generation (`copyOf`). */
  readonly #opened = new WeakMap<object, Opened>();

  constructor(options: SqliteReadModelsOptions) {
    this.#options = options;
    this.#checkpointer = new Checkpointer(options);
  }

  async get<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    ids: readonly string[],
  ): Promise<readonly Stored<Doc>[]> {
    const { file, table } = this.#alreadyOpen(of) ?? (await this.#open(of));
    return file.read(() => {
      const rows: Stored<Doc>[] = [];
      for (const id of ids) {
        const row = table.get(id);
        if (row !== undefined) rows.push(typed(of, row));
      }
      return rows;
    });
  }

  peek<Doc extends object, K extends string>(of: Collection<Doc, K>, id: string): Stored<Doc> | undefined {
    const opened = this.#alreadyOpen(of);
    const row = opened?.file.peek(opened.table, id);
    return row === undefined ? undefined : typed(of, row);
  }

  async find<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    query: Query<K>,
  ): Promise<readonly Stored<Doc>[]> {
    const { file, table } = this.#alreadyOpen(of) ?? (await this.#open(of));
    const statement = findStatement(of, query);
    return file.read(() => table.find(statement).map((row) => typed(of, row)));
  }

  async place<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    query: PlaceQuery<K>,
    nth: number,
  ): Promise<Place | undefined> {
    const { file, table } = this.#alreadyOpen(of) ?? (await this.#open(of));
    const statement = placeStatement(of, query, nth);
    return file.read(() => table.place(statement));
  }

  async write<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    rows: readonly Stored<Doc>[],
  ): Promise<readonly string[]> {
    const { file, table, shape } = this.#alreadyOpen(of) ?? (await this.#open(of));
    const { text = JSON.stringify } = of;
    const changes = rows.map(
      ({ id, revision, doc }): RowChange => ({ id, revision, doc, text: text(doc), cells: shape.cellsOf(doc) }),
    );
    return file.write(table, changes);
  }

  async remove<Doc extends object, K extends string>(of: Collection<Doc, K>, rows: readonly RowAt[]): Promise<number> {
    const { file, table } = this.#alreadyOpen(of) ?? (await this.#open(of));
    const removed = await file.write(
      table,
      rows.map(({ id, revision }): RowRemoval => ({ id, revision, isRemoval: true })),
    );
    return removed.length;
  }

  async count<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<number> {
    const { file, table } = this.#alreadyOpen(of) ?? (await this.#open(of));
    return file.read(() => table.count());
  }

  async texts<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    after: string,
    limit: number,
  ): Promise<readonly StoredText[]> {
    const { file, table } = this.#alreadyOpen(of) ?? (await this.#open(of));
    return file.read(() => table.texts(after, limit));
  }

  /** SQLite's own account of how it answers a query, a line a step. */
  async explain<Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    query: Query<K>,
  ): Promise<readonly string[]> {
    const { file, table } = this.#alreadyOpen(of) ?? (await this.#open(of));
    return file.read(() => table.explain(findStatement(of, query)));
  }

  async build<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<Builder> {
    const path = this.#pathOf(of.name, generationOf(of));
    await this.#remove(path);
    await this.#removeUnfinished(of.name);
    return buildFile(of, path, this.#builds);
  }

  async generations(name: string): Promise<readonly number[]> {
    const prefix = basename(this.#pathOf(name, '')).slice(0, -'.db'.length);
    return (await readdir(dirname(this.#options.file)))
      .filter((entry) => entry.startsWith(prefix) && entry.endsWith('.db'))
      .map((entry) => Number(entry.slice(prefix.length, -'.db'.length) || Number.NaN))
      .filter(Number.isSafeInteger)
      .sort((a, b) => a - b);
  }

  async drop(name: string, generation: number): Promise<void> {
    await this.#remove(this.#pathOf(name, generation));
  }

  async sync<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<number> {
    const { file } = this.#alreadyOpen(of) ?? (await this.#open(of));
    const mark = await file.raiseMark();
    // The commits of synchronous=NORMAL are in the WAL already; forcing that to the disk, from a thread of the pool,
    // keeps them.
    const path = `${of.generation === undefined ? this.#options.file : this.#pathOf(of.name, of.generation)}-wal`;
    const wal = await open(path, 'r').catch(() => undefined); // without a WAL all is in the file, and was synced there
    try {
      await wal?.datasync();
      return mark;
    } catch (cause) {
      throw new StoreUnavailable(`${path} could not be synced`, { cause });
    } finally {
      await wal?.close();
    }
  }

  async inspect<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<Inspection> {
    try {
      const { file } = this.#alreadyOpen(of) ?? (await this.#open(of));
      const mark = await file.mark();
      return file.damage === undefined ? { kind: 'whole', mark } : { kind: 'damaged', why: file.damage };
    } catch (fault) {
      if (fault instanceof NoSuchGeneration) return { kind: 'gone' };
      const why = damageIn(fault);
      if (why === undefined) throw fault;
      return { kind: 'damaged', why };
    }
  }

  async removeOldTexts(names: readonly string[]): Promise<number> {
    const generations = await Promise.all(
      names.map(async (name) => (await this.generations(name)).map((generation) => this.#pathOf(name, generation))),
    );
    const files = [this.#options.file, ...generations.flat()];
    await cleanFiles(files);
    return files.length;
  }

  async close(): Promise<void> {
    await this.#checkpointer.close();
    const files = await Promise.allSettled(this.#files.values());
    this.#files.clear();
    for (const file of files) if (file.status === 'fulfilled') await file.value.close();
  }

  /** Without a promise and without a path: nearly every call finds its file open. */
  #alreadyOpen(of: object): Opened | undefined {
    const opened = this.#opened.get(of);
    return opened?.file.isOpen === true ? opened : undefined;
  }

  async #open<Doc extends object, K extends string>(of: Collection<Doc, K>): Promise<Opened> {
    const isSystem = of.generation === undefined;
    const file = await this.#file(
      of.generation === undefined ? this.#options.file : this.#pathOf(of.name, of.generation),
      of,
    );
    const shape = shapeOf(of);
    const opened = { file, shape, table: await file.table(shape, isSystem) };
    this.#opened.set(of, opened);
    return opened;
  }

  #file<Doc extends object, K extends string>(
    path: string,
    { name, generation }: Collection<Doc, K>,
  ): Promise<ReadModelFile> {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const opened = this.#openFile(path, name, generation);
    this.#files.set(path, opened);
    opened.catch(() => this.#files.delete(path)); // a failure is not remembered
    return opened;
  }

  async #openFile(path: string, name: string, generation: number | undefined): Promise<ReadModelFile> {
    // Only a builder makes a generation: a dropped generation must not come back empty.
    if (generation !== undefined)
      await access(path).catch(() => {
        throw new NoSuchGeneration(name, generation);
      });
    else
      await access(dirname(path)).catch((cause: unknown) => {
        // not made again: it would be in the way of a backup
        throw new StoreUnavailable(`${dirname(path)} is gone`, { cause });
      });
    return ReadModelFile.open(path, {
      world: this.#options.world,
      onCommit: (characters, rows) => this.#checkpointer.wrote(path, characters, rows),
      onGone: (file) => {
        void this.#giveUp(path, file).catch(this.#options.report);
        return generation === undefined
          ? new StoreUnavailable(new FileGone(path).message)
          : new NoSuchGeneration(name, generation);
      },
    });
  }

  /** The next call opens the file that is at the path then. */
  async #giveUp(path: string, file: ReadModelFile): Promise<void> {
    this.#files.delete(path);
    await this.#checkpointer.forget(path);
    await file.close();
  }

  async #remove(path: string): Promise<void> {
    const file = await this.#files.get(path)?.catch(() => undefined);
    this.#files.delete(path);
    await this.#checkpointer.forget(path);
    await file?.close();
    for (const made of [path, `${path}.building`]) {
      for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(`${made}${suffix}`, { force: true });
    }
  }

  /** The rest of killed builds of the name: the catalog lets one builder work at a time, and this is it. */
  async #removeUnfinished(name: string): Promise<void> {
    const directory = dirname(this.#options.file);
    const prefix = basename(this.#pathOf(name, '')).slice(0, -'db'.length - 1);
    const unfinished = (await readdir(directory)).filter(
      (entry) => entry.startsWith(prefix) && entry.includes('.db.building'),
    );
    for (const entry of unfinished) await rm(join(directory, entry), { force: true });
  }

  #pathOf(name: string, generation: number | ''): string {
    const { file } = this.#options;
    return join(dirname(file), `${basename(file).replace(/\.db$/, '')}.${name}.${generation}.db`);
  }
}

function generationOf<Doc extends object, K extends string>({ name, generation }: Collection<Doc, K>): number {
  if (generation === undefined) throw new TypeError(`${name} has no generations`);
  return generation;
}

const typed = <Doc extends object, K extends string>(
  of: Collection<Doc, K>,
  { id, revision, doc }: Row,
): Stored<Doc> => ({
  id,
  revision,
  doc: docOf(of, doc),
});
