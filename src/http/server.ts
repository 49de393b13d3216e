// The HTTP server around the application: what Node answers by itself gets the one shape of errors, too (contract §7).
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorText, type Refusal, refuse, STATUS } from './errors.ts';

/** Longer than a load balancer keeps an idle connection (60 s is common), so that never both ends decide at once. */
const KEEP_ALIVE_MS = 65_000;

/** From a connection's first byte to the end of its headers, and of its body; idle clients hold nothing for longer. */
const HEADERS_WITHIN_MS = 10_000;
const REQUEST_WITHIN_MS = 30_000;
/** How often those two are looked at. */
const CHECK_EVERY_MS = 5_000;
/** Sockets that one process holds; beyond that, new ones are closed at once. Below common limits of open files (65,536), with room for stores. */
export const MAX_CONNECTIONS = 10_000;

/** A server that is not listening yet. `requestId` names the diagnosticsId of what was never a request. */
export function createHttpServer(listener: RequestListener, requestId: () => string): Server {
  const options = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_WITHIN_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    requireHostHeader: false, // Node's own 400 is empty; ours says why
  };
  const server = createServer(options, (request, response) => {
    if (lacksHost(request)) answerRefusal(response, refuse('MalformedJson', 'HTTP/1.1 requires the Host header.'), requestId());
    else listener(request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', (fault: Error, socket: Socket) => answerParserError(fault, socket, requestId()));
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    answerRefusal(response, refuse('MalformedJson', 'The only expectation that is met is 100-continue.'), requestId());
  });
  return server;
}

/** HTTP/1.0 knows none. */
const lacksHost = ({ headers, httpVersion }: IncomingMessage): boolean => httpVersion === '1.1' && headers.host === undefined;

function answerRefusal(response: ServerResponse, refusal: Refusal, id: string): void {
  const { head, text } = answerOf(refusal, id);
  response.writeHead(STATUS[refusal.errorId], head).end(text);
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
