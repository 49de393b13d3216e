// Faults against "Read models repair themselves".
import { faultsOf } from './fault.ts';

export const REPAIRED = faultsOf('Read models repair themselves', [
  {
    name: 'a read model that lost its last commits counts as whole',
    file: 'src/projections/engine/generations/lost.ts',
    find: "return found.mark < wanted ? 'has lost documents that it had on the disk' : undefined;",
    replace: 'return undefined;',
  },
  {
    name: 'a read model that is gone counts as there',
    file: 'src/projections/engine/generations/lost.ts',
    find: "    case 'gone':\n      return 'is gone';",
    replace: "    case 'gone':\n      return undefined;",
  },
  {
    name: 'damage that a read has met is forgotten',
    file: 'src/stores/sqlite/shared-file.ts',
    find: '    this.#damage ??= damageIn(fault);\n',
    replace: '',
  },
  {
    name: 'a deleted read-model file is used on',
    file: 'src/stores/sqlite/shared-file.ts',
    find: '    if (this.#file.isThere) return;\n',
    replace: '    if (this.#file !== undefined) return;\n',
  },
  {
    name: 'a node is ready while a read model is being built',
    file: 'src/projections/engine/health/readiness.ts',
    find: '      ...this.#unbuilt(),\n',
    replace: '',
  },
  {
    name: 'a node is ready before its read models have caught up',
    file: 'src/projections/engine/health/readiness.ts',
    find: '      ...this.#lagging(),\n',
    replace: '',
  },
  {
    name: 'a node whose log was deleted is ready',
    file: 'src/stores/sqlite/event-store.ts',
    find: '        this.#log.check();\n        return this.#log.head();',
    replace: '        return this.#log.head();',
  },
  {
    name: 'a document that a killed process did not write stays out',
    file: 'src/projections/engine/inline.ts',
    find: 'return (this.#noted.get(projection)?.peek(id) ?? -1) >= revision;',
    replace: 'return projection !== id && revision >= 0;',
  },
  {
    name: 'MongoDB: a generation that is gone is read as empty',
    file: 'src/stores/mongodb/generations.ts',
    find: '    if (!finished.has(generationName(name, generation))) throw new NoSuchGeneration(name, generation);\n',
    replace: '',
  },
]);
