// The parts that must not change unnoticed between two versions, and the steps after each change.

import type { z } from 'zod';
import { metadataOf } from '../../src/journal/envelope.ts';
import { FOLDS } from '../../src/queries/replay-stream.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { categoryOf } from '../../src/stores/stream-name.ts';
import type { Digests } from './digests.ts';

/** Not even `npm run golden` accepts these: a version has to be raised first. */
export function unversioned(before: Digests, now: Digests): readonly string[] {
  return [
    ...Object.entries(before.events).flatMap(([event, { version, digest, carried = {} }]) => {
      const found = now.events[event];
      if (found === undefined) return [`The event ${event} is gone, and logs hold it: bring it back.`];
      if (found.version !== version) return [];
      const lost = Object.keys(carried).filter((path) => found.carried?.[path] !== carried[path]);
      return [
        ...(found.digest === digest
          ? []
          : [
              `The schema of the event ${event} has changed, and its version is still ${version}: add an upcaster from version ${version} to its category. A new optional member that nothing is decided by needs no version: make it \`carried\` (src/domain/growing.ts).`,
            ]),
        ...lost.map(
          (path) =>
            `${path} of the event ${event} is not what it was, and logs hold it: bring it back, or add an upcaster from version ${version}.`,
        ),
      ];
    }),
    ...Object.entries(before.readModels).flatMap(([name, { version, digest }]) => {
      const found = now.readModels[name];
      return found !== undefined && found.digest !== digest && found.version === version
        ? [
            `The documents of the read model ${name} have changed, and its version is still ${version}: raise it in src/projections/models.`,
          ]
        : [];
    }),
  ];
}

/** Changes that are on purpose, perhaps, and are not recorded yet. */
export function unrecorded(before: Digests, now: Digests): readonly string[] {
  const changed = (kind: keyof Digests): readonly string[] =>
    [...new Set([...Object.keys(before[kind]), ...Object.keys(now[kind])])]
      .filter(
        (name) =>
          JSON.stringify(before[kind][name], WITHOUT_CARRIED) !== JSON.stringify(now[kind][name], WITHOUT_CARRIED),
      )
      .map(
        (name) =>
          `${WORDS[kind]} ${name}: it is not what test/golden/digests.json says. If that is on purpose, run \`npm run golden\`.`,
      );
  return [...changed('events'), ...changed('folds'), ...changed('readModels')];
}

/** A member that an event carries is recorded with the next change that is on purpose: it changes nothing. */
const WITHOUT_CARRIED = ['version', 'digest'];

const WORDS: { readonly [kind in keyof Digests]: string } = {
  events: 'The event',
  folds: 'The fold of the stream',
  readModels: 'The read model',
};

/** A type of event, in a version, that the log has no example of. */
interface Missing {
  readonly category: string;
  readonly type: string;
  /** The schema of the type's current version; undefined for an older one. */
  readonly schema?: z.ZodObject;
  /** The steps to take. */
  readonly words: string;
}

export function missing(events: readonly StoredEvent[]): readonly Missing[] {
  const there = new Set(
    events.map((stored) => nameOf(categoryOf(stored.stream), stored.type, metadataOf(stored).schemaVersion)),
  );
  return [...FOLDS.values()].flatMap(({ category: { name: category, upcasters, data } }) =>
    [...upcasters].flatMap(([type, steps]) =>
      [...steps, undefined].flatMap((step, index) => {
        const name = nameOf(category, type, index + 1);
        const schema = step === undefined ? data.get(type) : undefined;
        if (there.has(name)) return [];
        const words = `The golden log has no ${name}: run \`npm run golden\`, which adds one that is made of its schema.`;
        return [{ category, type, words, ...(schema !== undefined && { schema }) }];
      }),
    ),
  );
}

const nameOf = (category: string, type: string, version: number): string => `${category} ${type} of version ${version}`;
