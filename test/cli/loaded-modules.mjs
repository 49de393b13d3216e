// Preloaded into a process under test: writes the URL of every module that it loads into the file LOADED_MODULES, a
// line each.
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';

if (process.env.LOADED_MODULES !== undefined) register(import.meta.url);

export async function load(url, context, nextLoad) {
  appendFileSync(process.env.LOADED_MODULES, `${url}\n`);
  return nextLoad(url, context);
}
