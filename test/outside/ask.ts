// Calls of a service over HTTP, as a program makes them: nothing is known of it but its URL.
import { z } from 'zod';

export type Credential = { readonly [header: string]: string };

/** The members of answers, and of `--json`, that a next call needs. */
export const Told = z.looseObject({
  id: z.string().optional(),
  token: z.string().optional(),
  clientToken: z.string().optional(),
  key: z.string().optional(),
  apiKey: z.looseObject({ id: z.string() }).optional(),
  endpoint: z.looseObject({ id: z.string() }).optional(),
  data: z
    .array(z.looseObject({ id: z.string().optional(), token: z.string().optional() }))
    .catch([])
    .default([]),
});
type Told = z.output<typeof Told>;

export interface Given {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Told;
}

export type Ask = (method: string, path: string, body?: object, credential?: Credential) => Promise<Given>;

/** `usual`: the credential of calls that name none. */
export const askAt =
  (url: string, usual: Credential = {}): Ask =>
  async (method, path, body, credential = usual) => {
    const response = await fetch(new URL(path, url), {
      method,
      redirect: 'manual',
      headers: { ...credential, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { status, headers } = response;
    const text = await response.text();
    return { status, headers, text, body: Told.parse(/^[[{]/.test(text) ? JSON.parse(text) : {}) };
  };
