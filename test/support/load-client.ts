// An HTTP client for tests with many concurrent requests: it keeps connections open and remembers faults of the
// service.
import http, { type IncomingHttpHeaders } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: unknown;
  /** The revision in the ETag; -1 without one. */
  readonly revision: number;
}

type Headers = Readonly<Record<string, string>>;

export class Client {
  readonly url: string;
  readonly #key: string;
  readonly #agent = new http.Agent({ keepAlive: true });
  readonly #faults: string[] = [];

  constructor(url: string, key: string) {
    this.url = url;
    this.#key = key;
  }

  /** Answers of 500 and above; there must never be one. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  /** Calls with the API key. Rejects when no whole answer came. */
  call(method: string, path: string, body?: object, headers: Headers = {}): Promise<Answer> {
    return this.#ask(method, path, { 'X-Api-Key': this.#key, ...headers }, body);
  }

  /** Calls as the browser, with a client token. */
  inCheckout(clientToken: string, method: string, path: string, body?: object, headers: Headers = {}): Promise<Answer> {
    return this.#ask(method, path, { 'X-Client-Token': clientToken, ...headers }, body);
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(method: string, path: string, headers: Headers, body: object | undefined): Promise<Answer> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const typed =
      body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) };
    return new Promise((resolve, reject) => {
      const request = http.request(
        `${this.url}${path}`,
        { method, agent: this.#agent, headers: { ...headers, ...typed } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            if (!response.complete) return reject(new Error('the answer was cut off'));
            resolve(this.#answered(`${method} ${path}`, response, Buffer.concat(chunks).toString('utf8')));
          });
        },
      );
      request.on('error', reject);
      request.end(text);
    });
  }

  #answered(what: string, { statusCode: status = 0, headers }: http.IncomingMessage, text: string): Answer {
    if (status >= 500) this.#faults.push(`${what}: ${status} ${text}`);
    const isJson = headers['content-type']?.startsWith('application/json') === true && text !== '';
    const [, revision] = /^"(\d+)"$/.exec(headers.etag ?? '') ?? [];
    return {
      status,
      headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
      revision: revision === undefined ? -1 : Number(revision),
    };
  }
}
