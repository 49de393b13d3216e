// The meaning of the server's errors, by their gRPC code first: most have no type, and not all have a message.
import { AppError } from '../../app-error.ts';

const code = {
  unimplemented: 12,
  permissionDenied: 7,
  failedPrecondition: 9,
  unknown: 2,
  unauthenticated: 16,
} as const;

const numberIn = (fault: unknown): number | undefined =>
  typeof fault === 'object' && fault !== null && 'code' in fault && typeof fault.code === 'number'
    ? fault.code
    : undefined;

/**
 * A fault that no other try will change, as the error that says what to do. Undefined: the server is unavailable or
 * dropped a call.
 */
export function lastingFault(fault: unknown, what: string): AppError | undefined {
  if (fault instanceof AppError) return fault;
  switch (numberIn(fault)) {
    case code.permissionDenied:
    case code.unauthenticated:
      return new AccessDenied(what, fault);
    case code.failedPrecondition:
      return /deleted/i.test(messageOf(fault)) ? new StreamTombstoned(what, fault) : undefined;
    case code.unimplemented:
      return new AppError(
        'WrongSettings',
        `The server at the URL of the event store is not an EventStoreDB of version 23.10 or later.`,
        fault,
      );
    default:
      return undefined;
  }
}

/** The server's word for an exception that it did not expect: from a position, that there is no event at it. */
export const isUnexpected = (fault: unknown): boolean => numberIn(fault) === code.unknown;

/** One line for people; a URL or a password is never in it. */
export function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message.split('\n', 1).join('') : String(fault);
}

export class AccessDenied extends AppError {
  constructor(what: string, cause: unknown) {
    super(
      'AccessDenied',
      `EventStoreDB does not let this user ${what}. Counterfoil appends to streams of its own and follows the whole log: the user in the ` +
        'URL (esdb://user:password@host) has to be a member of $admins, or the access control lists of $all and of the streams have to ' +
        'let it read ($r) and write ($w). Without TLS (tls=false) the server sees no user.',
      cause,
    );
  }
}

/** The stream was taken out of the log for ever; lost-events.ts has the words for callers. */
export class StreamTombstoned extends AppError {
  constructor(what: string, cause: unknown) {
    super('StreamTombstoned', `EventStoreDB cannot ${what}: the stream was deleted permanently (a tombstone).`, cause);
  }
}
