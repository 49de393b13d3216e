// Faults against "Acknowledged is durable".
import { faultsOf } from './fault.ts';

export const DURABLE = faultsOf('Acknowledged is durable', [
  {
    name: 'SQLite: a commit that failed counts as made',
    file: 'src/stores/sqlite/file/commit-thread.ts',
    find: 'return failed(fault, !isBusy(fault));',
    replace: 'return reply;',
  },
  {
    name: 'SQLite: writes into a deleted file count as made',
    file: 'src/stores/sqlite/file/commit-thread.ts',
    find: 'return to.file.isThere ? reply : failed(new FileGone(to.path), true);',
    replace: 'return reply;',
  },
  {
    name: 'SQLite: a deleted log is written to',
    file: 'src/stores/sqlite/file/commit-thread.ts',
    find: '  if (!to.file.isThere) throw new FileGone(to.path);\n',
    replace: '',
  },
  {
    name: 'SQLite: the log is not synced',
    file: 'src/stores/sqlite/file/commit-thread.ts',
    find: "synchronous: 'full'",
    replace: "synchronous: 'off'",
  },
  {
    name: 'SQLite: a conflict is answered as written',
    file: 'src/stores/sqlite/event-store.ts',
    find: "if (reply === CONFLICT) return 'conflict';",
    replace: "if (reply === CONFLICT) return 'written';",
  },
  {
    name: 'SQLite: a process that ends waits for no write',
    file: 'src/stores/sqlite/file/group-commit.ts',
    find: 'if ((this.#inFlight?.length ?? 0) > 0 || this.#queue.length > 0) {',
    replace: 'if (this.#queue.length < 0) {',
  },
  {
    name: 'EventStoreDB: an append that timed out counts as written',
    file: 'src/stores/eventstoredb/append-call.ts',
    find: "return { kind: 'lost', cause: new Error('EventStoreDB did not write in time') };",
    replace: "return { kind: 'written' };",
  },
  {
    name: 'MongoDB: writes wait for no majority and no journal',
    file: 'src/stores/mongodb/connection.ts',
    find: "writeConcern: { w: 'majority', journal: true, ...",
    replace: 'writeConcern: { w: 1, journal: false, ...',
  },
  {
    name: 'a notification is acknowledged before it is on record',
    file: 'src/commands/notifications/receive-notification.ts',
    find: "    const received = await receiveOne(needs, item, contextOf(caller, newId(needs.world, 'op')));\n",
    replace:
      "    const receiving = needs.world.sleep(200, new AbortController().signal).then(() => receiveOne(needs, item, contextOf(caller, newId(needs.world, 'op'))));\n    const received = { kind: 'received', handled: receiving.then(ignored, needs.report) };\n",
  },
]);
