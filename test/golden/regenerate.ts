// npm run golden: adds scenarios that the golden log has not got yet, and records the digests of what this version
// makes of it.
import { categoryOf } from '../../src/stores/stream-name.ts';
import { missing, unversioned } from './compare.ts';
import { digestsOf, readDigests, writeDigests } from './digests.ts';
import { exampleData } from './example.ts';
import { appendToGoldenLog, goldenEvents, type Line, readGoldenLog } from './golden-log.ts';
import { allScenarios } from './scenarios/all.ts';

const before = goldenEvents(await readGoldenLog());
const there = new Set(before.map(({ stream }) => stream));
const added = allScenarios.filter(({ stream }) => !there.has(stream));
await appendToGoldenLog(added.flatMap(({ lines }) => lines()));

/**
 * An example of each type that the log has not got, after the events of the first scenario whose stream, and whose read
 * models, take it.
 */
const withoutPlace: string[] = [];
for (const { category, type, schema } of missing(goldenEvents(await readGoldenLog()))) {
  const text = await readGoldenLog();
  const examples =
    schema === undefined
      ? []
      : allScenarios
          .filter(({ stream }) => categoryOf(stream) === category)
          .map(
            ({ followedBy }) =>
              () =>
                followedBy(type, exampleData(schema)).lines(),
          );
  const example = examples.find((lines) => isTaken(text, lines));
  if (example !== undefined) await appendToGoldenLog(example());
  else
    withoutPlace.push(
      `No stream of the golden log takes a ${category} ${type} that is made of its schema: add a scenario with one to test/golden/scenarios, and run this again.`,
    );
}

function isTaken(text: string, lines: () => readonly Line[]): boolean {
  try {
    digestsOf(goldenEvents([text, ...lines().map((line) => JSON.stringify(line))].join('\n')));
    return true;
  } catch {
    return false;
  }
}

const events = goldenEvents(await readGoldenLog());
const now = digestsOf(events);
// Read models are compared by what they make of the events that were there before.
const problems = [...withoutPlace, ...unversioned(await readDigests(), digestsOf(before))];
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else {
  await writeDigests(now);
  console.log(
    `The golden log has ${events.length} events in ${new Set(events.map(({ stream }) => stream)).size} streams.`,
  );
}
