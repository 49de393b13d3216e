// Webhooks as they come in: whether Counterfoil signed one, whether it is fresh, and what it says (contract §8,
// Standard Webhooks 1.0).
import { type WebhookFault, WebhookVerificationError } from './errors.ts';
import { liveOutside, type Outside } from './outside.ts';
import type { CheckpointMessage, WebhookMessage } from './types.ts';
import { SIGNED_HEADERS, signerOf } from './webhook-signature.ts';

/** Of Node (`request.headers`, whatever the case of the names), or of fetch. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface VerifyOptions {
  /** How far the message's timestamp may be from this machine's clock, into the past and the future; 300 without it. */
  readonly toleranceSeconds?: number | undefined;
  /**
   * True for an endpoint that asked for AUDIT.CHECKPOINT: messages about checkpoints of the log are accepted, too. They
   * have neither `payment` nor `agreement`. Without it they are `not_a_message`.
   */
  readonly checkpoints?: boolean | undefined;
}

const DEFAULT_TOLERANCE_S = 300;

/**
 * The message that Counterfoil signed. `rawBody`: the unparsed body; a body that was parsed and written again has other
 * characters, and another signature. `secrets`: the `whsec_…` of the endpoint; several while you change it, or where
 * several endpoints lead here. Rejects with WebhookVerificationError for a message that is not to be trusted, and with
 * TypeError for arguments that can verify nothing: await it before you use the body. `outside` is for tests.
 *
 * A message that is sent again, by us or by somebody who overheard it, verifies again: `eventId` and `sequence` make
 * that harmless.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions & { readonly checkpoints: true },
  outside?: Pick<Outside, 'now'>,
): Promise<WebhookMessage | CheckpointMessage>;
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options?: VerifyOptions,
  outside?: Pick<Outside, 'now'>,
): Promise<WebhookMessage>;
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = DEFAULT_TOLERANCE_S, checkpoints = false }: VerifyOptions = {},
  outside: Pick<Outside, 'now'> = liveOutside,
): Promise<WebhookMessage | CheckpointMessage> {
  const body = bytesOf(rawBody);
  const signers = (typeof secrets === 'string' ? [secrets] : secrets).map(signerOf);
  if (signers.length === 0) throw new TypeError('a secret is required to verify a webhook');
  if (!(Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0))
    throw new TypeError('toleranceSeconds must be a number of at least 0');
  const [id, timestamp, signatures] = SIGNED_HEADERS.map((name) => headerOf(headers, name));
  if (id === undefined || timestamp === undefined || signatures === undefined)
    throw refused('missing_header', `A webhook needs the headers ${SIGNED_HEADERS.join(', ')}`);
  // The signature first: nothing that somebody else wrote is looked at any closer.
  const expected = await Promise.all(signers.map((sign) => sign({ id, timestamp, body })));
  if (!signatures.split(' ').some((signature) => isOneOf(expected, signature)))
    throw refused('bad_signature', 'The signature belongs to another secret, or the message was changed in transit');
  checkAge(timestamp, Math.floor(outside.now() / 1_000), toleranceSeconds);
  const message = parsed(body);
  if (isMessage(message) && message.eventId === id) return message;
  if (checkpoints && isCheckpoint(message) && message.eventId === id) return message;
  throw refused('not_a_message', 'The body is signed, but it is not a message');
}

const refused = (reason: WebhookFault, words: string): WebhookVerificationError =>
  new WebhookVerificationError(reason, words);

function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  throw new TypeError('rawBody must be the unparsed body as a string or bytes. Disable the body parser for this route');
}

/** Undefined for a header that is absent, empty, or there several times. */
function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) || undefined;
  const found = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? value : []));
  return found.length === 1 ? found[0] || undefined : undefined;
}

const isFetchHeaders = (
  headers: WebhookHeaders,
): headers is Extract<WebhookHeaders, { get(name: string): string | null }> => typeof headers['get'] === 'function';

/** Compares in a time that does not reveal how much of the signature is right. */
const isOneOf = (expected: readonly string[], signature: string): boolean =>
  expected.map((right) => right.length === signature.length && differences(right, signature) === 0).includes(true);

function differences(right: string, given: string): number {
  let found = 0;
  for (let at = 0; at < right.length; at += 1) found |= right.charCodeAt(at) ^ given.charCodeAt(at);
  return found;
}

function checkAge(timestamp: string, nowS: number, toleranceS: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw refused('bad_timestamp', 'The timestamp is not a number of seconds');
  const ageS = nowS - Number(timestamp);
  if (ageS > toleranceS) throw refused('too_old', `The message was sent ${ageS} s ago; ${toleranceS} s are allowed`);
  if (-ageS > toleranceS)
    throw refused('too_new', `The clock of the sender is ${-ageS} s ahead; ${toleranceS} s are allowed`);
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined; // no message
  }
}

const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members that a receiver decides by. An eventType that this version does not know is a message, too. */
function isMessage(value: unknown): value is WebhookMessage {
  const subject = isRecord(value) ? (value['payment'] ?? value['agreement']) : undefined;
  if (!isRecord(value) || !isRecord(subject)) return false;
  const { eventId, eventType, sequence, previousSequence } = value;
  const texts = [eventId, eventType, subject['id'], subject['status']];
  return (
    texts.every((text) => typeof text === 'string' && text !== '') &&
    Number.isSafeInteger(sequence) &&
    (previousSequence === undefined || Number.isSafeInteger(previousSequence))
  );
}

function isCheckpoint(value: unknown): value is CheckpointMessage {
  if (!isRecord(value) || !isRecord(value['checkpoint'])) return false;
  const { eventId, eventType, sequence, checkpoint } = value;
  const texts = [eventId, eventType, checkpoint['root'], checkpoint['signature']];
  return (
    texts.every((text) => typeof text === 'string' && text !== '') &&
    Number.isSafeInteger(sequence) &&
    Number.isSafeInteger(checkpoint['treeSize'])
  );
}
