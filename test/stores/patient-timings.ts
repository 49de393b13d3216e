// Timings of adapters that wait for an answer however long the server's process may be kept from running: for all that
// is to be answered. A file without hooks of Mocha: processes that a test starts load it, too.
import { defaultTimings } from '../../src/stores/eventstoredb/timings.ts';
import type { MongoDbTimings } from '../../src/stores/mongodb/connection.ts';

export const PATIENT = {
  ...defaultTimings,
  tryMs: 30_000,
  proofMs: 30_000,
  readMs: 60_000,
  unavailableReadMs: 60_000,
  absenceMs: 60_000,
  startMs: 60_000,
  closeMs: 30_000,
};

export const PATIENT_MODELS: MongoDbTimings = {
  readMs: 30_000,
  writeMs: 60_000,
  heartbeatMs: 1_000,
  silenceMs: 30_000,
  longWorkMs: 60_000,
};
