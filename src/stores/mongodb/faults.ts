// The meaning of a fault of the MongoDB driver: the store is unavailable, or it answered and refused.
import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoDriverError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoNotConnectedError,
  MongoServerClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb';
import { StoreUnavailable } from '../store-unavailable.ts';

/** MongoDB gave no answer in time. */
export class Late extends Error {
  constructor(ms: number) {
    super(`no response within ${Math.round(ms)} ms`);
  }
}

/**
 * One question got no answer. That says nothing of the store: the query may be slow, its connection dead, or all of
 * them in use.
 */
export function isSilence(fault: unknown): boolean {
  if (fault instanceof MongoServerError && fault.errorResponse instanceof Error) return isSilence(fault.errorResponse);
  return fault instanceof Late || fault instanceof MongoNetworkTimeoutError || isPoolInUse(fault);
}

/** One connection was closed or refused; others may be open. */
export function isClosedConnection(fault: unknown): boolean {
  if (fault instanceof MongoServerError && fault.errorResponse instanceof Error)
    return isClosedConnection(fault.errorResponse);
  return fault instanceof MongoNetworkError && !isSilence(fault);
}

/** No connection became free in time, and none could be made. The driver does not export the class. */
export const isPoolInUse = (fault: unknown): boolean =>
  fault instanceof MongoDriverError && fault.name === 'MongoWaitQueueTimeoutError';

const UNREACHABLE = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoServerClosedError,
  // of a client whose place another one has taken
  MongoClientClosedError,
  MongoTopologyClosedError,
  MongoNotConnectedError,
];

/**
 * Codes of a server that is not the primary, is going down, cannot reach its majority, or cannot be reached from the
 * caller.
 */
const PASSING_CODES: ReadonlySet<unknown> = new Set([
  6, 7, 64, 89, 91, 100, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);
const PASSING_LABELS = [MongoErrorLabel.RetryableWriteError, MongoErrorLabel.RetryableError];

/**
 * True if nothing can be asked of the store now; false if it answered, and refused this one thing. Not for a
 * silence.
 */
export function isUnavailable(fault: unknown): boolean {
  if (!(fault instanceof MongoServerError)) return UNREACHABLE.some((kind) => fault instanceof kind);
  if (lacksMajority(fault)) return true;
  const { errorResponse, code } = fault;
  if (errorResponse instanceof Error) return isUnavailable(errorResponse); // a bulk write wraps what its connection met
  return PASSING_CODES.has(code) || PASSING_LABELS.some((label) => fault.hasErrorLabel(label));
}

/** It is written, and not known to be where no failover takes it back; a bulk write's fault has no code then. */
const lacksMajority = (fault: unknown): boolean =>
  fault instanceof MongoBulkWriteError && fault.result.getWriteConcernError() !== undefined;

/** True if the write was sent, as far as is known, and no answer says whether it took effect. */
export function isOutcomeUnknown(fault: unknown): boolean {
  if (fault instanceof MongoWriteConcernError || lacksMajority(fault)) return true;
  if (fault instanceof MongoServerError && fault.errorResponse instanceof Error)
    return isOutcomeUnknown(fault.errorResponse);
  return fault instanceof Late || fault instanceof MongoNetworkError || fault instanceof MongoClientClosedError;
}

/** Every fault as callers know it; `where` names the store without its credentials. */
export const unavailable = (where: string, fault: unknown): StoreUnavailable =>
  fault instanceof StoreUnavailable
    ? fault
    : new StoreUnavailable(`MongoDB at ${where}: ${reasonOf(fault)}`, {
        cause: fault,
        isPassing: isSilence(fault) || isUnavailable(fault),
      });

export const reasonOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));

const DUPLICATE_KEY = 11_000;

/**
 * The places of a bulk write's items that met a document with their id, when nothing else went wrong; undefined
 * otherwise.
 */
export function duplicatesIn(fault: unknown): readonly number[] | undefined {
  if (!(fault instanceof MongoBulkWriteError) || lacksMajority(fault)) return undefined;
  const errors = Array.isArray(fault.writeErrors) ? fault.writeErrors : [fault.writeErrors];
  return errors.length > 0 && errors.every(({ code }) => code === DUPLICATE_KEY)
    ? errors.map(({ index }) => index)
    : undefined;
}

/** IndexOptionsConflict, IndexKeySpecsConflict. */
const OTHER_INDEX_CODES: ReadonlySet<unknown> = new Set([85, 86]);

/** There is an index with the same keys or name already, with other options. */
export const isOtherIndex = (fault: unknown): boolean =>
  fault instanceof MongoServerError && OTHER_INDEX_CODES.has(fault.code);
