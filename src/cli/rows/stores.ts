// counterfoil serve, backup, restore, copy, config, doctor and version: the service, its stores and its settings
import { ALL_SETTINGS, command, flag, needed, value } from '../command.ts';

export const serve = {
  serve: command({
    usage: 'serve',
    summary: 'Run the service; the first start creates an account and prints its API key',
    examples: ['serve', 'serve --port 8080 --data-dir /var/lib/counterfoil', 'serve --workers max'],
    rules: [
      'stdout has `Listening on <url>`, at the first start the API key, and the dashboard’s address: a one-time link until someone has signed in.',
      'SIGTERM: stops accepting requests, finishes running ones (10 s) and exits 0.',
      'A worker that dies is replaced, during the start at most four times.',
    ],
    json: '{url, accountId, keyId, key, dashboardLink}: one line, once the link exists',
    settings: ALL_SETTINGS,
  }),
};

export const backup = {
  backup: command({
    usage: 'backup',
    summary: 'Bring a backup up to the log as it is now, while the service runs; it is verified as it is written',
    examples: ['backup --out /mnt/backups/monday'],
    rules: [
      'Log, ledger of the sandbox and keys are of one instant on embedded stores. The chain of each stream is checked in what was written, and each file compared with its source before the manifest names it. Until a run has ended, the directory holds the previous backup.',
      'Exits 1 if the log has breaks, a key is missing, or an embedded log has damage.',
      'Refused: a directory with a missing or altered file, a backup of another store, a log that was changed, put back or lost its end, a second run at the same time, a machine without the secret, and keys that are damaged, of another log, older than the log, opened by no secret or destroyed by no erasure on record. A new directory takes the last three, with exit code 1.',
    ],
    json: '{directory, storeId, events, added, broken, position, lastRecordedAt, madeAt, parts: [{part, file, bytes, sha256, readAt?}], damage}',
    appends: false,
    options: {
      out: needed('<dir>', 'a new directory, or that of an earlier backup: only new events are added then'),
      verify: flag('read every file that the directory has; without it: those unread for seven days'),
    },
  }),
  restore: command({
    usage: 'restore',
    summary: 'Verify a backup, and make a store of it in a data directory that has none',
    examples: ['restore --from /mnt/backups/monday --data-dir data'],
    rules: [
      'The next run finishes a killed one, and no service starts there before. The secret of the store must be on the machine: it verifies the register of erasures.',
      'Refused: a directory that holds a store, a file that is changed or missing, a second restore at the same time, and a register that is missing, altered, cut, of another store or not applicable.',
      'Exits 1 if keys are missing, open with no secret, or were destroyed by no erasure on record; everything in the backup was restored.',
    ],
    json: 'that of `backup`, with erasures: {named, destroyed, already, absent}',
    appends: false,
    options: {
      from: needed('<dir>', 'the directory of the backup, which is only read'),
      erasures: value('<file>', 'the register of erasures to apply; without it: erasures.jsonl of the backup'),
    },
  }),
};

export const copy = {
  copy: command({
    usage: 'copy',
    summary: 'Copy an event log and the keys of its personal data into another store, as they are',
    examples: [
      'copy --from sqlite:data/events.db --to "esdb://localhost:2113?tls=false" --read-models "mongodb://localhost:27017/counterfoil?tls=false"',
    ],
    rules: [
      'Revisions, ids, metadata and hashes are kept; a copy is resumable, and verified at the end.',
      'The keys of personal data go to --to-key-store, otherwise next to an embedded log, into the MongoDB of the read models, or the data directory.',
      'Refused: one key store for both logs, and a key store that has another key under an id of the source. Exits 1 if an event’s key is not in the key store of the copy.',
    ],
    settings: ['storeWait', 'dataDir', 'readModels'],
    options: {
      from: needed('<url>', 'the log to copy, which may be in use'),
      to: needed('<url>', 'an empty store, or the target of an interrupted copy; a missing file is created'),
      toKeyStore: value('<url>', 'the key store of the copy, if it is not where a service on the copy looks for it'),
    },
  }),
};

export const config = {
  config: command({
    usage: 'config',
    summary: 'Every setting with its value and source',
    examples: ['config', 'config --port 8080'],
    settings: ALL_SETTINGS,
    appends: false,
  }),
};

export const doctor = {
  doctor: command({
    usage: 'doctor',
    summary:
      'Compare the settings with the machine, its network and the stores: public URL, proxies, memory, TLS, open files, data directory, clock, stores, log, keys, conservation, retention',
    examples: ['doctor', 'doctor --public-url https://pay.example --json'],
    rules: [
      'Checks from the machine and as the user that run it, and exits 1 if a check found something. Each start does the same and logs a warning for each finding, except for the log and the reading of every key.',
    ],
    json: '{data: [{check, ok, says}]} with publicUrl, trustedProxies, memory, tls, openFiles, dataDir, clock, log, keys, conservation, retention',
    settings: ALL_SETTINGS,
    appends: false,
  }),
};

export const version = {
  version: command({
    usage: 'version',
    summary: 'The version of this program',
    examples: ['version'],
    settings: [],
  }),
};
