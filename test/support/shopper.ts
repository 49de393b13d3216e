// A browser of the demo shop, as far as its cookie goes.
import { z } from 'zod';
import { until } from './until.ts';

const Ready = z.strictObject({ clientToken: z.string(), orderUrl: z.string() });

export class Shopper {
  readonly #url: string;
  #cookie = '';

  constructor(url: string) {
    this.#url = url;
  }

  async ask(path: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const method = form === undefined ? 'GET' : 'POST';
    const body = form === undefined ? undefined : new URLSearchParams(form);
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      redirect: 'manual',
      headers: { Cookie: this.#cookie },
      ...(body && { body }),
    });
    const set = answer.headers.get('Set-Cookie');
    if (set !== null) this.#cookie = set.split(';')[0] ?? '';
    return answer;
  }

  async ready(): Promise<z.infer<typeof Ready>> {
    return Ready.parse(await (await this.ask('/checkout', {})).json());
  }
}

/** The page, as soon as it holds the words: what is shown of a payment comes by a webhook. */
export async function untilShown(shopper: Shopper, path: string, words: string): Promise<string> {
  let page = '';
  await until(async () => {
    page = await (await shopper.ask(path)).text();
    return page.includes(words);
  });
  return page;
}
