// The body of a request: 413, 415, then bytes to JSON, in that order, parsed once (contract §1).
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type Refusal, refuse } from '../errors.ts';
import type { Exchange } from '../exchange.ts';

/** Contract §7. */
const MAX_BODY_BYTES = 256 * 1024;

const CONTENT_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?;?$/i;
const tooLarge = (limit: number): Refusal => refuse('PayloadTooLarge', `A request body may have at most ${limit} bytes.`);
const WRONG_TYPE = refuse('UnsupportedMediaType', 'A request body must be application/json in UTF-8, without content encoding.');

export interface Body {
  readonly text: string;
  readonly value: unknown;
}
export const NO_BODY: Body = { text: '', value: {} };

/**
 * The body of a request, at most `limit` bytes; an empty one is `{}`. 'gone': the caller hung up before its end, and nobody waits
 * for an answer.
 */
export async function readBody(ctx: Exchange, kind: 'json' | 'raw', limit = MAX_BODY_BYTES): Promise<Body | Refusal | 'gone'> {
  const unreadable = checkHeaders(ctx, limit);
  if (unreadable !== undefined) return unreadable;
  if (!hasBody(ctx)) return NO_BODY;
  const bytes = await bytesOf(ctx.req, limit);
  return Buffer.isBuffer(bytes) ? bodyOf(bytes, kind) : bytes;
}

/** What the headers alone refuse: 413 by the declared length, 415. */
function checkHeaders(ctx: Exchange, limit: number): Refusal | undefined {
  const { headers } = ctx.req;
  const length = headers['content-length'];
  if (length !== undefined && Number(length) > limit) return tooLarge(limit);
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

/**
 * At most `limit` bytes; 'gone' when the caller hung up before the end. Not koa-bodyparser: with what it calls it took a tenth of
 * a PATCH's time, and it cannot tell whether bytes were UTF-8.
 */
function bytesOf(req: IncomingMessage, limit: number): Promise<Buffer | Refusal | 'gone'> {
  if (!req.readable) return Promise.resolve('gone');
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= limit) {
        chunks.push(chunk);
        return;
      }
      req.off('data', take);
      req.pause(); // nobody wants the rest
      resolve(tooLarge(limit));
    };
    req.on('data', take);
    req.on('end', () => resolve(joined(chunks)));
    req.on('close', () => resolve('gone')); // behind the end it changes nothing
  });
}

/** Nearly every body comes in one piece. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

/** What was read, as text and, unless it is wanted raw, as JSON. */
function bodyOf(bytes: Buffer, kind: 'json' | 'raw'): Body | Refusal {
  if (bytes.length === 0) return NO_BODY;
  if (!isUtf8(bytes)) return refuse('MalformedJson', 'The body is not UTF-8.');
  const text = bytes.toString('utf8');
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
