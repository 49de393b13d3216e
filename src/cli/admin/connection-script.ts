// The run of connections check --script: each step at the processor's test mode, a transcript without secrets, and the
// record of whether it passed.
import { open } from 'node:fs/promises';
import type { ConnectionRow } from '../../commands/connections/connections.ts';
import type { Connection, Processor, ProofStep } from '../../processors/processor.ts';
import { connections } from '../../projections/models/connections.ts';
import { newId } from '../../world.ts';
import type { CommonOptions } from '../command.ts';
import { effective } from '../effect.ts';
import { Refused } from '../exit.ts';
import type { Opened } from '../open/open.ts';
import { type CommandResult, tell } from '../output.ts';
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
): Promise<CommandResult> {
  if (config.mode === 'live')
    throw new Refused('The run moves money. Run it for a connection in a test store, at the same server.');
  if (doc.status === 'disabled') throw new Refused('The connection is disabled: there is nothing to prove.');
  const { known } = service.connections;
  const processor = await known.processor(doc.processor);
  if (processor?.prove === undefined) throw new Refused(`The processor ${doc.processor} has nothing to be tried.`);
  const connection = await known.resolved({ id, doc });
  // before money moves: a transcript that cannot be written would leave a run without evidence
  const file = transcript === undefined ? undefined : await open(transcript, 'w', 0o600);
  try {
    const told = await run(processor.prove, { processor, connection, id: newId(service.world, 'run') }, options);
    const text = withoutSecrets({ server: doc.apiUrl ?? doc.processor, steps: told }, connection);
    await file?.writeFile(`${text}\n`);
    const { steps }: { readonly steps: readonly ProofStep[] } = JSON.parse(text);
    const isProven = steps.every(({ result }) => result !== 'failed');
    await effective(service, connections, await service.connections.recordRun(id, isProven));
    const rows = steps.map(({ name, value, result }) => [MARKS[result], name, value]);
    const said = isProven
      ? { notes: ['Passed: the connection is proven. The steps marked you are left for you.'] }
      : {
          warnings: ['A step failed: nothing is proven, and "not found" goes on to need its window.'],
          isRefused: true,
        };
    return {
      json: { id, isProven, steps: file === undefined ? steps : steps.map(withoutExchanges) },
      text: table(['', 'what', 'value'], rows) + (file === undefined ? `\n${text}` : ''),
      ...said,
    };
  } finally {
    await file?.close();
  }
}

async function run(
  prove: NonNullable<Processor['prove']>,
  {
    processor,
    connection,
    id,
  }: { readonly processor: Processor; readonly connection: Connection; readonly id: string },
  options: CommonOptions,
): Promise<readonly ProofStep[]> {
  const steps: ProofStep[] = [];
  for await (const step of prove.call(processor, { connection, signal: AbortSignal.timeout(RUN_WITHIN_MS) }, id)) {
    steps.push(step);
    if (options.json !== true) tell(`${MARKS[step.result]} ${step.name}`);
  }
  return steps;
}

const withoutExchanges = ({ exchanges: _inTranscript, ...step }: ProofStep): object => step;

/** As JSON. No exchange has a secret; this holds even if a server repeats one. */
const withoutSecrets = (told: object, { secrets }: Connection): string =>
  Object.values(secrets)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), JSON.stringify(told, null, 2));
