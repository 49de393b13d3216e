// `npm run bench [name...]`: runs the benchmarks one after another and prints a table with a pass or a miss for each
// row.
import { readFileSync } from 'node:fs';
import { type Bench, passes, type Row } from './row.ts';

/**
 * A new benchmark is a file that exports `bench: Bench`, and a line here. Each is loaded when it runs, so that none
 * burdens another.
 */
const benches: ReadonlyMap<string, () => Promise<{ readonly bench: Bench }>> = new Map([
  ['append', () => import('./append.ts')],
  ['http', () => import('./http.ts')],
  ['depth', () => import('./depth.ts')],
  ['last', () => import('./last.ts')],
  ['workers', () => import('./workers.ts')],
  ['cliffs', () => import('./cliffs.ts')],
  ['disk', () => import('./disk.ts')],
  ['rebuild', () => import('./rebuild.ts')],
  ['rebuild-beside', () => import('./rebuild-beside.ts')],
  ['chain', () => import('./chain.ts')],
  ['scale', () => import('./scale.ts')],
  ['lag', () => import('./lag.ts')],
  ['eventstoredb', () => import('./eventstoredb.ts')],
  ['mongodb', () => import('./mongodb.ts')],
  ['webhooks', () => import('./webhooks.ts')],
  ['verify', () => import('./verify.ts')],
  ['backup', () => import('./backup.ts')],
  ['checkpoint', () => import('./checkpoint.ts')],
  ['simulate', () => import('./simulate.ts')],
  ['routing', () => import('./routing.ts')],
]);

const names = process.argv.slice(2);
if (names.includes('--help')) {
  process.stdout.write(usage());
  process.exit(0);
}
const unknown = names.filter((name) => !benches.has(name));
if (unknown.length > 0) {
  process.stderr.write(`No benchmark is called ${unknown.join(', ')}. There are: ${[...benches.keys()].join(', ')}.\n`);
  process.exit(2);
}

const rows: Row[] = [];
for (const name of names.length > 0 ? names : benches.keys()) {
  process.stderr.write(`${name} …\n`);
  const module = await benches.get(name)?.();
  rows.push(...((await module?.bench()) ?? []));
}
print(rows);
process.exitCode = rows.every(passes) ? 0 : 1;

/** Each benchmark's first line and its variables, as its file has them, within 80 columns. */
function usage(): string {
  const all = [...benches.keys()].map((name) => {
    const source = readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8');
    const [what = ''] = source.split('\n', 1);
    const variables = [
      ...new Set([...source.matchAll(/process\.env\['(\w+)'\]/g)].map(([, variable = '']) => variable)),
    ];
    const settings = variables.length > 0 ? indented(`Variables: ${variables.join(', ')}`) : '';
    return `  ${name}\n${indented(what.slice('// '.length))}${settings}`;
  });
  return `npm run bench [name...]    without a name all of them, in this order

${all.join('')}
Variables of most: BENCH_DIR is the folder for data, on the disk to be measured;
BENCH_MAIN the dist/cli/main.js of another checkout, to hold against this one's.
The others are at the top of their files.
`;
}

function indented(text: string): string {
  return text.replaceAll(/(.{1,74})(?: |$)/g, '      $1\n');
}

function print(all: readonly Row[]): void {
  const head = ['what', 'measured', 'against', 'unit', 'ratio', 'reach', ''];
  const cells = all.map((row) => [
    row.what,
    rounded(row.measured),
    rounded(row.against),
    row.unit,
    `${row.ratio.toFixed(2)} x`,
    typeof row.reach === 'number' ? `>= ${row.reach}` : `<= ${row.reach.atMost}`,
    passes(row) ? 'pass' : 'MISS',
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)));
  const lines = [head, widths.map((width) => '-'.repeat(width)), ...cells];
  for (const line of lines)
    process.stdout.write(`| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`);
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
