// The module that a thread loads to work on events with their keys: it hands them to the module that does the work.
import type { OpenStreamWork } from '../stores/event-store.ts';
import type { OpenKeys } from '../stores/key-store.ts';
import { KeyedWork } from './keyed-module.ts';
import { keyedBy, openedKey } from './personal-keys.ts';

export const openWork: OpenStreamWork = async (given) => {
  const { keys, wrapping, moduleUrl, data } = KeyedWork.parse(given);
  const read = await (await exported<OpenKeys>(keys.moduleUrl, 'openKeys'))(keys.data);
  const work = await (await exported<OpenStreamWork>(moduleUrl, 'openWork'))(data);
  const keyOf = (id: string) => {
    const stored = read(id);
    return stored && openedKey(wrapping, stored);
  };
  return {
    take: (events, isLast) =>
      work.take(
        events.map((stored) => keyedBy(stored, keyOf)),
        isLast,
      ),
  };
};

/** Both modules are ours, so that the export has the type of its name. */
async function exported<Export>(url: string, name: string): Promise<Export> {
  const module: object = await import(url);
  return Reflect.get(module, name);
}
