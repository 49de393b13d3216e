// Faults against "Customers can be erased".
import { faultsOf } from './fault.ts';

export const ERASED = faultsOf('Customers can be erased', [
  {
    name: 'a process keeps keys that another process has destroyed',
    file: 'src/journal/personal-keys.ts',
    find: '    if (destroyed !== this.#destroyed) this.forget();\n',
    replace: '',
  },
  {
    name: 'events that were sealed a moment ago still show who was erased',
    file: 'src/journal/personal-keys.ts',
    find: '    sealedEvents.forget();\n',
    replace: '',
  },
  {
    name: 'keys of sessions without a customer id stay',
    file: 'src/commands/customers/erase-customer.ts',
    find: '  for (const id of others.flat()) ids.add(id);\n',
    replace: '',
  },
  {
    name: 'an erasure passes a payment that is open',
    file: 'src/domain/payment/queries.ts',
    find: "  if (status === 'PENDING' || amountCapturable > 0 || dueLookUpAt(payment) !== undefined) return 'open';\n",
    replace: '',
  },
  {
    name: 'SQLite: a destroyed key stays in its file',
    file: 'src/stores/sqlite/key-store.ts',
    find: 'DO UPDATE SET wrapped = NULL, destroyed_at = ?2',
    replace: 'DO UPDATE SET destroyed_at = ?2',
  },
  {
    name: 'MongoDB: a destroyed key stays in its collection',
    file: 'src/stores/mongodb/key-store.ts',
    find: "{ $set: { d: at }, $unset: { k: '' } }",
    replace: '{ $set: { d: at } }',
  },
  {
    name: 'older texts stay in the files of read models',
    file: 'src/stores/sqlite/read-model-cleaner-worker.ts',
    find: "    database.exec('PRAGMA secure_delete = ON');\n    database.exec('VACUUM');\n",
    replace: '',
  },
  {
    name: 'snapshots of folds keep who was erased',
    file: 'src/journal/fold-snapshots.ts',
    find: "doc: { ...doc, text: '', mac: '' },",
    replace: 'doc,',
  },
  {
    name: 'a restore brings back who was erased since the backup',
    file: 'src/cli/backup/erasures.ts',
    find: '      await keys.destroy([keyId], parseTime(time) ?? world.now());\n',
    replace: '      parseTime(time);\n',
  },
]);
