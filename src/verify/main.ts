// counterfoil-verify: checks a proof or a checkpoint of Counterfoil without Counterfoil. One file, no dependencies; it
// reads the files that it is given, and sends nothing.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { NotProof, provenIn, type SubjectProof } from './format.ts';
import { type Report, readKey, reportOn } from './verify.ts';

const USAGE = `Usage: counterfoil-verify FILE --key PUBLIC [--checkpoint FILE] [--payment ID | --agreement ID]

FILE           a proof (counterfoil audit export), or a checkpoint
--key          the public key of the service (counterfoil audit key); several: once each
--checkpoint   a checkpoint that you have kept: the log must begin with it
--payment      the payment that FILE has to prove
--agreement    the agreement that FILE has to prove

Exit code 0: everything holds. 1: something does not. 2: wrong usage.
`;

async function run(): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: joinedArgs(process.argv.slice(2)),
      allowPositionals: true,
      options: {
        key: { type: 'string', multiple: true },
        checkpoint: { type: 'string' },
        payment: { type: 'string' },
        agreement: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const [path, ...more] = positionals;
    if (values.help === true) {
      process.stdout.write(USAGE);
      return 0;
    }
    if (path === undefined || more.length > 0 || values.key === undefined) {
      process.stderr.write(USAGE);
      return 2;
    }
    const kept = values.checkpoint === undefined ? {} : { kept: await jsonIn(values.checkpoint) };
    const wanted = {
      ...(values.payment !== undefined && { payment: values.payment }),
      ...(values.agreement !== undefined && { agreement: values.agreement }),
    };
    const report = await reportOn({ file: await jsonIn(path), keys: values.key.map(readKey), ...kept, ...wanted });
    process.stdout.write(`${textOf(report)}\n`);
    return report.verdict.isGood ? 0 : 1;
  } catch (fault) {
    process.stderr.write(`${printable(fault instanceof Error ? fault.message : String(fault))}\n`);
    return fault instanceof NotProof ? 1 : 2;
  }
}

/** A key may begin with a hyphen, which is an option to the parser unless it is joined to its own. */
const joinedArgs = (args: readonly string[]): string[] =>
  args.flatMap((arg, n) => (args[n - 1] === '--key' ? [] : arg === '--key' ? [`--key=${args[n + 1] ?? ''}`] : [arg]));

async function jsonIn(path: string): Promise<unknown> {
  const text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  try {
    return JSON.parse(text);
  } catch {
    throw new NotProof(`${path} is not JSON.`);
  }
}

function textOf({ verdict, findings, open, proof }: Report): string {
  const lines = findings.map(({ isGood, text }) => `${isGood ? 'ok ' : 'NO '} ${text}`);
  return [
    ...(proof === undefined ? [] : [...eventLines(proof), '']),
    ...lines,
    ...open.map((text) => `--  ${text}`),
    '',
    verdict.text,
  ]
    .map(printable)
    .join('\n');
}

function eventLines(proof: SubjectProof): readonly string[] {
  return [
    provenIn(proof).id,
    ...proof.streams.flatMap(({ stream, events }) => [
      stream,
      ...events.map(({ revision, type, metadata }) => `  ${revision}  ${recordedAtIn(metadata)}  ${type}`),
    ]),
  ];
}

function recordedAtIn(metadata: string): string {
  try {
    return new Date(JSON.parse(metadata).recordedAt).toISOString();
  } catch {
    return 'at no readable time';
  }
}

/** Without characters that would play tricks with a terminal. */
const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?');

process.exitCode = await run();
