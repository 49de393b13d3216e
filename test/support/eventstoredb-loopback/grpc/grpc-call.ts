// One call of a gRPC client: messages in both directions, a status at the end, and ways to break the connection.
import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';

/** The end of a call; see grpc.io's status codes. */
export interface GrpcStatus {
  readonly code: number;
  readonly message: string;
  /** Trailers, from which the client makes its error classes. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export const OK: GrpcStatus = { code: 0, message: '' };

/** The largest message that a real server accepts: its largest record. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024 - 256;
const TOO_LARGE: GrpcStatus = { code: 8, message: 'Received message exceeds the maximum configured message size.' };

export const FRAME_HEADER_BYTES = 5;

/** A message on the wire: a flag (uncompressed), its length, its bytes. */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, FRAME_HEADER_BYTES);
  return frame;
}

export class GrpcCall {
  readonly headers: IncomingHttpHeaders;
  readonly #stream: ServerHttp2Stream;
  readonly #cut: () => void;
  #parts: Buffer[] = [];
  #received = 0;
  #wanted = FRAME_HEADER_BYTES;
  #status: GrpcStatus | undefined;

  /** `cut` cuts the connection. */
  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, cut: () => void) {
    this.#stream = stream;
    this.#cut = cut;
    this.headers = headers;
    stream.on('error', () => undefined);
    stream.on('wantTrailers', () => {
      if (this.#status === undefined) stream.close(constants.NGHTTP2_NO_ERROR);
      else stream.sendTrailers(trailersOf(this.#status));
    });
  }

  /** `onMessage` gets each message, whose bytes will not change; `onEnd` runs after the client's last one. */
  receive(onMessage: (message: Buffer) => void, onEnd: () => void): void {
    this.#stream.on('data', (chunk: Buffer) => this.#take(chunk, onMessage));
    this.#stream.on('end', onEnd);
  }

  onClose(listener: () => void): void {
    this.#stream.on('close', listener);
  }

  get closed(): boolean {
    return this.#stream.destroyed || this.#stream.closed || this.#stream.writableEnded;
  }

  /** False if no more should be sent before `drained`. */
  get writable(): boolean {
    return !this.#stream.writableNeedDrain;
  }

  /** Sends whole frames; answers `writable`. */
  send(frames: Buffer): boolean {
    if (this.closed) return true;
    this.#respond();
    return this.#stream.write(frames);
  }

  /** Resolves when more can be sent, or when the call is over. */
  drained(): Promise<void> {
    if (this.closed || this.writable) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#stream.off('drain', done).off('close', done);
        resolve();
      };
      this.#stream.on('drain', done).on('close', done);
    });
  }

  onDrain(listener: () => void): void {
    this.#stream.on('drain', listener);
  }

  /** Sends `frames` and then ends the call. */
  end(status: GrpcStatus, frames?: Buffer): void {
    if (this.closed) return;
    this.#status = status;
    if (!this.#stream.headersSent && frames === undefined) {
      this.#stream.respond({ ...RESPONSE, ...trailersOf(status) }, { endStream: true });
      return;
    }
    this.#respond();
    this.#stream.end(frames);
  }

  /**
   * Ends the call without a status, as a server that shuts down does: the client sees code 13,
   * "Received RST_STREAM with code 0".
   */
  reset(): void {
    if (this.closed) return;
    this.#respond();
    this.#stream.close(constants.NGHTTP2_NO_ERROR);
  }

  /** Cuts the connection, with all calls on it. */
  cut(): void {
    this.#cut();
  }

  #respond(): void {
    if (!this.#stream.headersSent) this.#stream.respond(RESPONSE, { waitForTrailers: true });
  }

  #take(chunk: Buffer, onMessage: (message: Buffer) => void): void {
    this.#parts.push(chunk);
    this.#received += chunk.length;
    if (this.#received < this.#wanted || this.closed) return;
    const bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts, this.#received);
    let at = 0;
    this.#wanted = FRAME_HEADER_BYTES;
    while (bytes.length - at >= FRAME_HEADER_BYTES) {
      const length = bytes.readUInt32BE(at + 1);
      if (length > MAX_MESSAGE_BYTES) {
        this.end(TOO_LARGE);
        return;
      }
      if (bytes.length - at < FRAME_HEADER_BYTES + length) {
        this.#wanted = FRAME_HEADER_BYTES + length;
        break;
      }
      onMessage(bytes.subarray(at + FRAME_HEADER_BYTES, at + FRAME_HEADER_BYTES + length));
      at += FRAME_HEADER_BYTES + length;
    }
    this.#received = bytes.length - at;
    this.#parts = this.#received === 0 ? [] : [bytes.subarray(at)];
  }
}

const RESPONSE: OutgoingHttpHeaders = { ':status': 200, 'content-type': 'application/grpc' };

const trailersOf = ({ code, message, metadata }: GrpcStatus): OutgoingHttpHeaders => ({
  'grpc-status': String(code),
  ...(message === '' ? {} : { 'grpc-message': encodeURI(message) }),
  ...metadata,
});
