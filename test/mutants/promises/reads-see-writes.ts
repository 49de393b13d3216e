// Faults against "Reads see writes".
import { faultsOf } from './fault.ts';

export const READS_SEE_WRITES = faultsOf('Reads see writes', [
  {
    name: 'a write is answered before its document is there',
    file: 'src/journal/streams.ts',
    find: '      await this.#project(id, next, this.decider.goesOn?.(events) === true);',
    replace: '      void this.#project(id, next, true);',
  },
  {
    name: 'appends go on while no document is taken',
    file: 'src/projections/engine/inline.ts',
    find: '      this.#refusedSince = this.#oldestRefusal();\n',
    replace: '',
  },
  {
    name: 'every document rests before it is written',
    file: 'src/projections/engine/inline.ts',
    find: 'if (goesOn !== true || this.#running?.aborted !== false) return this.#project(of, row);',
    replace: 'if (this.#running?.aborted !== false) return this.#project(of, row);',
  },
  {
    name: 'a process keeps documents that another process has changed',
    file: 'src/stores/sqlite/read-model-file.ts',
    find: '        for (const table of this.#opened) table.forget();\n',
    replace: '',
  },
  {
    name: 'a process looks at the commits of others only once',
    file: 'src/stores/sqlite/shared-file.ts',
    find: '  readonly #release = (): void => {\n    this.#heldSince = undefined;',
    replace: '  readonly #release = (): void => {\n    this.#heldSince = ownCommits;',
  },
  {
    name: 'a stream is read from memory although another node has written',
    file: 'src/journal/stream-folds.ts',
    find: '    return this.refresh(id, this.guess(id));',
    replace: '    return this.load(id);',
  },
  {
    name: 'a refusal stands on a state that another node has changed',
    file: 'src/journal/transact.ts',
    find: 'if (newer.head.revision > folded.head.revision) {',
    replace: 'if (newer.head.revision < folded.head.revision) {',
  },
  {
    name: 'a write into a generation that is no longer live counts as shown',
    file: 'src/projections/engine/inline.ts',
    find: '    if (own !== undefined && !generations.includes(own)) return;\n',
    replace: '',
  },
  {
    name: 'MongoDB: what must be the newest is read like all else',
    file: 'src/stores/mongodb/read-models.ts',
    find: "of.freshness === 'linearizable' ? opened.getNewest(ids) : opened.get(ids)",
    replace: 'opened.get(ids)',
  },
  {
    name: 'MongoDB: a read joins a question that was asked before it',
    file: 'src/stores/mongodb/newest-reads.ts',
    find: '    question.underWay = ended;\n    question.next = undefined;\n    void ended.then(() => {',
    replace: '    question.underWay = ended;\n    void ended.then(() => {\n      question.next = undefined;',
  },
  {
    name: 'MongoDB: an older write replaces a newer document',
    file: 'src/stores/mongodb/guarded-bulk.ts',
    find: '  updateOne: { filter: { _id, r: { $lt: r } }, update: { $set: { r, t, k } }, upsert: true },',
    replace: '  updateOne: { filter: { _id }, update: { $set: { r, t, k } }, upsert: true },',
  },
  {
    name: 'EventStoreDB: any node answers reads',
    file: 'src/stores/eventstoredb/connection.ts',
    find: 'const FROM_LEADER = { requiresLeader: true } as const;',
    replace: 'const FROM_LEADER = { requiresLeader: false } as const;',
  },
]);
