// captureMode AUTOMATIC needs transactions:capture besides the operation's own scope (contract §2): no key captures
// through a session.
import { captureScopeMissing, capturesByItself } from '../domain/client-session/queries.ts';
import type { Rejection } from '../domain/decider.ts';
import type { Caller } from './caller.ts';

/** Checkout callers have the scope that their session got from a key that may capture. */
export const mayCapture = ({ sessionId, scopes }: Caller): boolean =>
  sessionId !== undefined || scopes.has('transactions:capture');

/** InsufficientScope for captureMode AUTOMATIC, of a caller who may not capture. */
export const refuseCaptureMode = (
  paymentMethod: Parameters<typeof capturesByItself>[0],
  caller: Caller,
): Rejection | undefined =>
  capturesByItself(paymentMethod) && !mayCapture(caller) ? captureScopeMissing() : undefined;
