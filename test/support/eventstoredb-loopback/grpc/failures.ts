// The statuses of failed calls other than batch appends, with the trailers from which the client makes its error
// classes.
import type { Expected } from '../append/append-rules.ts';
import type { GrpcStatus } from './grpc-call.ts';

const EXPECTED_NUMBERS = { no_stream: -1, any: -2, stream_exists: -4 };

export const failures = {
  accessDenied: (): GrpcStatus => ({ code: 7, message: 'Access Denied', metadata: { exception: 'access-denied' } }),
  notReady: (): GrpcStatus => ({ code: 14, message: 'Server Is Not Ready' }),
  shuttingDown: (): GrpcStatus => ({ code: 14, message: 'Server is shutting down' }),
  tooSlow: (): GrpcStatus => ({
    code: 10,
    message: 'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  }),
  /** The status of an unexpected exception in the server. */
  unexpected: (): GrpcStatus => ({ code: 2, message: 'Exception was thrown by handler.' }),
  invalid: (what: string): GrpcStatus => ({ code: 3, message: `The combination of ${what} is invalid.` }),
  broken: (message: string): GrpcStatus => ({ code: 2, message: `Exception was thrown by handler. ${message}` }),
  deleted: (stream: string): GrpcStatus => ({
    code: 9,
    message: `Event stream '${stream}' is deleted.`,
    metadata: { exception: 'stream-deleted', 'stream-name': stream },
  }),
  /** `current` is undefined without a stream. 'any' and the like have numbers below 0. */
  wrongExpected: (stream: string, expected: Expected, current: number | undefined): GrpcStatus => ({
    code: 9,
    message: `Delete failed due to WrongExpectedVersion. Stream: ${stream}`,
    metadata: {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': String(typeof expected === 'number' ? expected : EXPECTED_NUMBERS[expected]),
      'actual-version': current === undefined ? '' : String(current),
    },
  }),
};
