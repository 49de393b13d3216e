// The HTTP server around the application: what Node answers by itself gets the one shape of errors, too (contract §7).
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorText, type Refusal, refuse, STATUS } from './errors.ts';

/** Longer than a load balancer keeps an idle connection (60 s is common), so that never both ends decide at once. */
const KEEP_ALIVE_MS = 65_000;

/** A server that is not listening yet. `requestId` names the diagnosticsId of what was never a request. */
export function createHttpServer(listener: RequestListener, requestId: () => string): Server {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, listener);
  server.on('clientError', (fault: Error, socket: Socket) => answerParserError(fault, socket, requestId()));
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const refusal = refuse('MalformedJson', 'The only expectation that is met is 100-continue.');
    const { head, text } = answerOf(refusal, requestId());
    response.writeHead(STATUS[refusal.errorId], head).end(text);
  });
  return server;
}

function answerOf(refusal: Refusal, id: string): { readonly head: Record<string, string>; readonly text: string } {
  const text = errorText(refusal, id, 'Request');
  const length = String(Buffer.byteLength(text));
  const head = { 'Content-Type': 'application/json; charset=utf-8', 'X-Request-Id': id, 'Content-Length': length, Connection: 'close' };
  return { head, text };
}

/** Bytes that are not HTTP, headers without end, requests that never arrive whole. */
function answerParserError(fault: Error, socket: Socket, id: string): void {
  const code = 'code' in fault ? fault.code : undefined;
  // Bytes in the middle of another request's answer would only garble that one.
  const answering = '_httpMessage' in socket && socket._httpMessage !== null;
  if (code === 'ECONNRESET' || !socket.writable || answering) {
    socket.destroy();
    return;
  }
  const refusal =
    code === 'HPE_HEADER_OVERFLOW'
      ? refuse('PayloadTooLarge', 'The headers are too large.')
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? refuse('MalformedJson', 'The request did not arrive in time.')
        : refuse('MalformedJson', 'This is not HTTP/1.1.');
  const status = STATUS[refusal.errorId];
  const { head, text } = answerOf(refusal, id);
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${status === 413 ? 'Payload Too Large' : 'Bad Request'}\r\n${lines.join('')}\r\n${text}`);
}
