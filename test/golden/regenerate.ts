// npm run golden: adds scenarios that the golden log has not got yet, and records the digests of what this version makes of it.
import { missing, unversioned } from './compare.ts';
import { digestsOf, readDigests, writeDigests } from './digests.ts';
import { appendToGoldenLog, goldenEvents, readGoldenLog } from './golden-log.ts';
import { allScenarios } from './scenarios/all.ts';

const before = goldenEvents(await readGoldenLog());
const there = new Set(before.map(({ stream }) => stream));
const added = allScenarios.filter(({ stream }) => !there.has(stream));
await appendToGoldenLog(added.flatMap(({ lines }) => lines()));

const events = goldenEvents(await readGoldenLog());
const now = digestsOf(events);
// Read models are compared by what they make of the events that were there before.
const problems = [...missing(events), ...unversioned(await readDigests(), digestsOf(before))];
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else {
  await writeDigests(now);
  console.log(`The golden log has ${events.length} events in ${new Set(events.map(({ stream }) => stream)).size} streams.`);
}
