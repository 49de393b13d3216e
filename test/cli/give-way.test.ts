// The priority of a rebuild beside a running service: each of its threads gives way to those that answer requests.
import { expect } from 'chai';
import { compiledMain } from './built.ts';
import { Place } from './processes.ts';

/** Prints the nice value of each thread at the end of the process: the seventeenth field after its name. */
const AT_EXIT = `import { readdirSync, readFileSync } from 'node:fs';
process.on('exit', () => {
  const stat = (thread) => readFileSync('/proc/self/task/' + thread + '/stat', 'utf8');
  const nice = (text) => text.slice(text.lastIndexOf(')') + 2).split(' ')[16];
  process.stderr.write('nice: ' + readdirSync('/proc/self/task').map((thread) => nice(stat(thread))).join(' ') + '\\n');
});`;
const optionsFor = (script: string): string => `--import=data:text/javascript,${encodeURIComponent(script)}`;
/** As after `nice -n 12`. The threads of the process run this too, later: only the first one may set anything. */
const FROM_START = `
const { setPriority } = process.getBuiltinModule('node:os');
const { isMainThread } = process.getBuiltinModule('node:worker_threads');
if (isMainThread) for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), 12);`;

describe('the priority of a command', () => {
  const place = new Place(compiledMain());
  before(function () {
    if (process.platform === 'linux') return;
    process.stdout.write('Skipped: a thread has a priority of its own on Linux alone.\n');
    this.skip();
  });
  after(() => place.remove());

  const niceOf = async (command: string, script = AT_EXIT): Promise<readonly string[]> => {
    const { code, stderr } = await place.run(command, { env: { NODE_OPTIONS: optionsFor(script) } });
    // a process of low priority beside busy ones may report that the disk is too slow
    if (!stderr.includes('the disk has not answered for too long')) expect(code, stderr).to.equal(0);
    return (/^nice: (.*)$/m.exec(stderr)?.[1] ?? '').split(' ');
  };

  // a process that gives way waits for every other one of the machine
  const WAITS_MS = 600_000;

  it('is low for all threads of a rebuild', async function () {
    this.timeout(WAITS_MS);
    await (await place.serve()).end('SIGTERM');
    const all = await niceOf('projections rebuild payments');
    expect(all.length).to.be.above(4); // the main thread and those of V8
    expect(new Set(all)).to.deep.equal(new Set(['10']));
  });

  it('is not raised for a rebuild that was started with a lower one, which ordinary users may not do', async function () {
    this.timeout(WAITS_MS);
    expect(new Set(await niceOf('projections rebuild payments', `${AT_EXIT}${FROM_START}`))).to.deep.equal(
      new Set(['12']),
    );
  });

  it('stays as it is for others', async () => {
    const [main = ''] = await niceOf('projections list');
    expect(main).not.to.equal('');
    expect(new Set(await niceOf('accounts list'))).to.deep.equal(new Set([main]));
    expect(main).not.to.equal('10');
  });
});
