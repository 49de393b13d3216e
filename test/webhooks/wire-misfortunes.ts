// Receivers' misfortunes with a call on the wire, and the expected record of the attempt.
import type { Socket } from 'node:net';
import { TAKEN, type Tls, type Treatment } from './raw-receiver.ts';

export interface Misfortune {
  /** The title of a receiver. */
  readonly title: string;
  /** The treatment of its first call. */
  readonly treat: Treatment;
  /** The recorded status, or what the recorded fault says. */
  readonly ends: number | RegExp;
  /** It never ends on its own: the deadline ends it. */
  readonly hangs?: true;
  readonly tls?: Tls;
}

const DEADLINE = /no answer before the deadline/;
const BROKEN = /the connection was closed before a whole answer came/;
const NO_HTTP = /the answer is no HTTP/;

/** Writes a piece every few milliseconds until the other end closes. */
function drip(socket: Socket, pieces: () => string | undefined): void {
  const timer = setInterval(() => {
    const piece = pieces();
    if (piece !== undefined) socket.write(piece);
  }, 5);
  socket.on('close', () => clearInterval(timer));
}

/** As fast as the other end takes it. */
function flood(socket: Socket, piece: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

const says =
  (...texts: readonly (string | Buffer)[]): Treatment =>
  (socket) => {
    for (const text of texts) socket.write(text);
  };
const ends =
  (text: string): Treatment =>
  (socket) =>
    void socket.end(text);

/** A certificate that nobody else vouches for; its key is not secret. */
const OWN = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyNAkwPX/lPe/JsK/
YY1T0lisEqKWEHfknPzE/F1lMd6hRANCAAQhEv4jFMi+JMpLSgGVYr1revU2wNTV
A3efpgSZejjdKTDO0kfLGucUVptCvzBpn3Gg8y36SI+/9zHewhzBbTWL
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBjTCCATOgAwIBAgIULVDC1qK2wql0AFJxzKTsDCEmIjcwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQcmVjZWl2ZXIuaW52YWxpZDAgFw0yNjExMjIyMjM5MzlaGA8y
MTI2MTAyOTIyMzkzOVowGzEZMBcGA1UEAwwQcmVjZWl2ZXIuaW52YWxpZDBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABCES/iMUyL4kyktKAZVivWt69TbA1NUDd5+m
BJl6ON0pMM7SR8sa5xRWm0K/MGmfcaDzLfpIj7/3Md7CHMFtNYujUzBRMB0GA1Ud
DgQWBBSXqAwFynPAqC5+9vp+WYQhkWMumDAfBgNVHSMEGDAWgBSXqAwFynPAqC5+
9vp+WYQhkWMumDAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQDs
Uz6Jmh6cWo/ftX/b0zC7WZ+idd44gcqY/OZLpHcmcQIgJyhBiralIdJNh6iuk/ov
1dVKvAY0mbGdvM8MtfnKEB4=
-----END CERTIFICATE-----`,
};

const REDIRECTS = [301, 302, 303, 307, 308];

export const MISFORTUNES: readonly Misfortune[] = [
  {
    title: 'sends its headers a byte at a time',
    treat: (socket) => {
      const bytes = `HTTP/1.1 204 No Content\r\nX-Slow: ${'x'.repeat(10_000)}`[Symbol.iterator]();
      drip(socket, () => bytes.next().value);
    },
    ends: DEADLINE,
    hangs: true,
  },
  {
    title: 'sends its body a byte at a time',
    treat: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
      drip(socket, () => 'x');
    },
    ends: DEADLINE,
    hangs: true,
  },
  { title: 'takes the request and says nothing', treat: () => undefined, ends: DEADLINE, hangs: true },
  {
    title: 'sends headers and never a body',
    treat: says('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'),
    ends: DEADLINE,
    hangs: true,
  },
  {
    title: 'sends a shorter body than it said',
    treat: says('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort'),
    ends: DEADLINE,
    hangs: true,
  },
  {
    title: 'sends a longer body than it said',
    treat: says('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nfar too long'),
    ends: NO_HTTP,
  },
  {
    title: 'says two lengths',
    treat: says('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'),
    ends: NO_HTTP,
  },
  { title: 'closes before its answer', treat: ends(''), ends: BROKEN },
  { title: 'resets the connection', treat: (socket) => void socket.resetAndDestroy(), ends: BROKEN },
  { title: 'closes amid its headers', treat: ends('HTTP/1.1 200 OK\r\nContent-Le'), ends: BROKEN },
  { title: 'closes amid its body', treat: ends('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort'), ends: BROKEN },
  {
    title: 'closes amid a chunk',
    treat: ends('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nshort'),
    ends: BROKEN,
  },
  {
    title: 'sends a chunk without a size',
    treat: says('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nmany\r\n'),
    ends: NO_HTTP,
  },
  {
    title: 'sends a body without an end',
    treat: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      flood(socket, 'x'.repeat(1_024));
    },
    ends: 200,
  },
  {
    title: 'refuses with a body without an end',
    treat: (socket) => {
      socket.write('HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n');
      flood(socket, `400\r\n${'x'.repeat(1_024)}\r\n`);
    },
    ends: 500,
  },
  {
    title: 'sends headers without an end',
    treat: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      flood(socket, `X-More: ${'x'.repeat(1_024)}\r\n`);
    },
    ends: /the headers of the answer are too long/,
  },
  { title: 'answers as HTTP/1.0 did', treat: ends('HTTP/1.0 200 OK\r\n\r\ntaken'), ends: 200 },
  { title: 'answers with no HTTP', treat: ends('220 mail.example SMTP ready\r\n'), ends: NO_HTTP },
  {
    title: 'says that it goes on first',
    treat: says('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n', TAKEN),
    ends: 204,
  },
  {
    title: 'says only that it goes on',
    treat: (socket) => drip(socket, () => 'HTTP/1.1 102 Processing\r\n\r\n'),
    ends: DEADLINE,
    hangs: true,
  },
  {
    title: 'wants to speak another protocol',
    treat: says('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    ends: BROKEN,
  },
  ...REDIRECTS.map(
    (status): Misfortune => ({
      title: `redirects with ${status}`,
      treat: says(`HTTP/1.1 ${status} Elsewhere\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n`),
      ends: status,
    }),
  ),
  {
    title: 'accepts it with a body that is not text',
    treat: says(
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\n',
      Buffer.from([0, 255, 27, 91, 195, 40]),
    ),
    ends: 200,
  },
  {
    title: 'answers with a status that does not exist',
    treat: says('HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n'),
    ends: 999,
  },
  {
    title: 'answers again when nobody asks',
    treat: (socket) => {
      socket.write(TAKEN);
      setTimeout(() => socket.write('HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n'), 5);
    },
    ends: 204,
  },
  {
    title: 'speaks no TLS',
    treat: ends('HTTP/1.1 400 Bad Request\r\n\r\n'),
    ends: /^no TLS: wrong version number$/,
    tls: 'none',
  },
  { title: 'says nothing where TLS is wanted', treat: () => undefined, ends: DEADLINE, hangs: true, tls: 'none' },
  { title: 'has no certificate', treat: says(TAKEN), ends: /^no TLS: .*handshake failure$/, tls: {} },
  { title: 'has a certificate that it made itself', treat: says(TAKEN), ends: /^self-signed certificate$/, tls: OWN },
];
