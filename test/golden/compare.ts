// What may not change unseen between two versions, and what to do about each change.

import { metadataOf } from '../../src/journal/envelope.ts';
import { FOLDS } from '../../src/queries/streams/folds.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { categoryOf } from '../../src/stores/stream-name.ts';
import type { Digests } from './digests.ts';

/** Not even `npm run golden` accepts these: a version has to be raised first. */
export function unversioned(before: Digests, now: Digests): readonly string[] {
  return [
    ...Object.entries(before.events).flatMap(([event, { version, digest }]) => {
      const found = now.events[event];
      if (found === undefined) return [`The event ${event} is gone, and logs hold it: bring it back.`];
      return found.digest !== digest && found.version === version
        ? [
            `The schema of the event ${event} has changed, and its version is still ${version}: add an upcaster from version ${version} to its category, and an event of the new version to test/golden/scenarios.`,
          ]
        : [];
    }),
    ...Object.entries(before.readModels).flatMap(([name, { version, digest }]) => {
      const found = now.readModels[name];
      return found !== undefined && found.digest !== digest && found.version === version
        ? [`The documents of the read model ${name} have changed, and its version is still ${version}: raise it in src/projections/models.`]
        : [];
    }),
  ];
}

/** Changes that are on purpose, perhaps, and are not recorded yet. */
export function unrecorded(before: Digests, now: Digests): readonly string[] {
  const changed = (kind: keyof Digests): readonly string[] =>
    [...new Set([...Object.keys(before[kind]), ...Object.keys(now[kind])])]
      .filter((name) => JSON.stringify(before[kind][name]) !== JSON.stringify(now[kind][name]))
      .map(
        (name) => `${WORDS[kind]} ${name}: it is not what test/golden/digests.json says. If that is on purpose, run \`npm run golden\`.`,
      );
  return [...changed('events'), ...changed('folds'), ...changed('readModels')];
}

const WORDS: { readonly [kind in keyof Digests]: string } = {
  events: 'The event',
  folds: 'The fold of the stream',
  readModels: 'The read model',
};

/** Types of events, in all their versions, that the log has no example of. */
export function missing(events: readonly StoredEvent[]): readonly string[] {
  const there = new Set(events.map((stored) => nameOf(categoryOf(stored.stream), stored.type, metadataOf(stored).schemaVersion)));
  return [...FOLDS.values()].flatMap(({ category: { name, upcasters } }) =>
    [...upcasters]
      .flatMap(([type, steps]) => steps.map((_, index) => nameOf(name, type, index + 1)).concat(nameOf(name, type, steps.length + 1)))
      .filter((one) => !there.has(one))
      .map((one) => `The golden log has no ${one}: add a scenario with it to test/golden/scenarios and run \`npm run golden\`.`),
  );
}

const nameOf = (category: string, type: string, version: number): string => `${category} ${type} of version ${version}`;
