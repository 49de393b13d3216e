// The run of connections check --script: each step at the processor's test mode, a transcript without secrets, and the
// record of whether it passed.
import { writeFile } from 'node:fs/promises';
import type { ConnectionRow } from '../../commands/connections/connections.ts';
import type { Connection, ProofStep } from '../../processors/processor.ts';
import { connections } from '../../projections/models/connections.ts';
import { newId } from '../../world.ts';
import type { CommonOptions } from '../command.ts';
import { unlessRefused, untilEffective } from '../effect.ts';
import { Refused } from '../exit.ts';
import type { Opened } from '../open/open.ts';
import { print, tell } from '../output.ts';
import { table } from '../table.ts';

/** The longest run; a processor that hangs ends it as failed. */
const RUN_WITHIN_MS = 300_000;
const MARKS = { passed: 'ok', failed: '!!', person: 'you' } as const;

/** Exits 1 if a step failed; an earlier proof is taken back by it. */
export async function runScript(
  { service, config }: Opened,
  { id, doc }: ConnectionRow,
  transcript: string | undefined,
  options: CommonOptions,
): Promise<void> {
  if (config.mode === 'live')
    throw new Refused('The run moves money. Run it for a connection in a test store, at the same server.');
  const { known } = service.connections;
  const processor = await known.processor(doc.processor);
  if (processor?.prove === undefined) throw new Refused(`The processor ${doc.processor} has nothing to be tried.`);
  const connection = await known.resolved({ id, doc });
  const steps: ProofStep[] = [];
  for await (const step of processor.prove(
    { connection, signal: AbortSignal.timeout(RUN_WITHIN_MS) },
    newId(service.world, 'run'),
  )) {
    steps.push(step);
    if (options.json !== true) tell(`${MARKS[step.result]} ${step.name}`);
  }
  const isProven = steps.every(({ result }) => result !== 'failed');
  await untilEffective(service, connections, unlessRefused(await service.connections.recordRun(id, isProven)));
  const text = withoutSecrets(JSON.stringify({ server: doc.apiUrl ?? doc.processor, steps }, null, 2), connection);
  if (transcript !== undefined) await writeFile(transcript, `${text}\n`, { mode: 0o600 });
  const { steps: shown }: { readonly steps: readonly object[] } = JSON.parse(text);
  const rows = steps.map(({ name, value, result }) => [MARKS[result], name, value]);
  print(
    {
      json: { id, isProven, steps: transcript === undefined ? shown : steps.map(withoutExchanges) },
      text: table(['', 'what', 'value'], rows) + (transcript === undefined ? `\n${text}` : ''),
    },
    options,
  );
  if (!isProven) throw new Refused('A step failed: nothing is proven, and "not found" goes on to need its window.');
  if (options.json !== true)
    tell('The steps of the program passed, and the connection is proven. Those marked you are yours.');
}

const withoutExchanges = ({ exchanges: _inTranscript, ...step }: ProofStep): object => step;

/** No exchange has a secret; this holds even if a server repeats one. */
const withoutSecrets = (text: string, { secrets }: Connection): string =>
  Object.values(secrets).reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text);
