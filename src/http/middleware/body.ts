// The body of a request: 413, 415, then bytes to JSON, in that order, parsed once (contract §1).
import { isUtf8 } from 'node:buffer';
import bodyParser from 'koa-bodyparser';
import { type Refusal, refuse } from '../errors.ts';
import type { Exchange } from '../exchange.ts';

/** Contract §7. */
export const MAX_BODY_BYTES = 256 * 1024;

const CONTENT_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?;?$/i;
const TOO_LARGE = refuse('PayloadTooLarge', `A request body may have at most ${MAX_BODY_BYTES} bytes.`);
const WRONG_TYPE = refuse('UnsupportedMediaType', 'A request body must be application/json in UTF-8, without content encoding.');

// koa-bodyparser reads within the limit; it hands over bytes, because only bytes say whether they were UTF-8.
const options = { enableTypes: ['text'], extendTypes: { text: ['application/json'] }, textLimit: `${MAX_BODY_BYTES}b`, encoding: null };
const parser = bodyParser(options);
const nothing = Promise.resolve();
const nothingNext = (): Promise<void> => nothing;

export interface Body {
  readonly text: string;
  readonly value: unknown;
}
export const NO_BODY: Body = { text: '', value: {} };

/** What the headers alone refuse: 413 by the declared length, 415. */
export function checkBodyHeaders(ctx: Exchange): Refusal | undefined {
  const { headers } = ctx.req;
  const length = headers['content-length'];
  if (length !== undefined && Number(length) > MAX_BODY_BYTES) return TOO_LARGE;
  if (!hasBody(ctx)) return undefined;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return WRONG_TYPE;
  const type = headers['content-type'];
  return type === 'application/json' || (type !== undefined && CONTENT_TYPE.test(type)) ? undefined : WRONG_TYPE;
}

function hasBody({ req: { headers } }: Exchange): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) > 0;
}

/** Reads the bytes of a body whose headers were in order; nothing to wait for when there are none. Throws: see `refusalOfReading`. */
export const readBytes = (ctx: Exchange): Promise<unknown> | undefined => (hasBody(ctx) ? parser(ctx, nothingNext) : undefined);

/** What was read, as text and, unless it is wanted raw, as JSON; an empty body is `{}`. */
export function bodyOf({ request: { rawBody } }: Exchange, kind: 'json' | 'raw'): Body | Refusal {
  if (!Buffer.isBuffer(rawBody) || rawBody.length === 0) return NO_BODY;
  if (!isUtf8(rawBody)) return refuse('MalformedJson', 'The body is not UTF-8.');
  const text = rawBody.toString('utf8');
  return kind === 'raw' ? { text, value: undefined } : parseJson(text);
}

function parseJson(text: string): Body | Refusal {
  try {
    return { text, value: JSON.parse(text) };
  } catch (fault) {
    // The parser's own message quotes the body, which may hold what nobody should read in an answer or a log.
    const position = fault instanceof SyntaxError ? /position (\d+)/.exec(fault.message)?.[1] : undefined;
    return refuse('MalformedJson', `The body is not JSON${position === undefined ? '' : ` (at character ${position})`}.`);
  }
}

/** What a fault while reading means for the caller; undefined when it is no fault of the request. 'gone': nobody waits any more. */
export function refusalOfReading(fault: unknown): Refusal | 'gone' | undefined {
  if (typeof fault !== 'object' || fault === null || !('type' in fault)) return undefined;
  switch (fault.type) {
    case 'entity.too.large':
      return TOO_LARGE;
    case 'request.aborted':
      return 'gone';
    case 'request.size.invalid':
      return refuse('MalformedJson', 'The body is not as long as its Content-Length.');
    default:
      return undefined;
  }
}
