// The log, and the process that writes it, when its stderr is not read or is full.
import { execFile, execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { until } from '../support/until.ts';
import { parseExposition } from '../telemetry/exposition.ts';
import { compiledMain, quickMain } from './built.ts';
import { Place, type Serving } from './processes.ts';

/** Why a test on a full disk is left out, for its title. */
const WITHOUT_FULL = existsSync('/dev/full') ? '' : ' (left out: this machine has no /dev/full)';

/** Each request is a line at this level. */
const EACH_REQUEST = { COUNTERFOIL_LOG_LEVEL: 'debug' };
/** Longer than any of these takes; a process that waits for the reader of its log never ends. */
const DEADLINE_MS = 20_000;

describe('the log of a service', function log() {
  let place: Place;
  const opened: number[] = [];
  beforeEach(() => {
    place = new Place(quickMain()); // processes of their own, whose stderr is a test's
  });
  afterEach(async () => {
    for (const descriptor of opened.splice(0)) closeSync(descriptor);
    await place.remove();
  });

  const open = (file: string, flags: number): number => {
    const descriptor = openSync(file, flags);
    opened.push(descriptor);
    return descriptor;
  };
  /** A pipe whose one end is a child's stderr; `read` answers the waiting text, undefined: none. */
  const pipe = (): { readonly end: number; fill(): void; read(): string | undefined } => {
    const file = join(place.dir, 'stderr');
    execFileSync('mkfifo', [file]);
    const reading = open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const end = open(file, constants.O_WRONLY);
    const buffer = Buffer.alloc(65_536);
    return {
      end,
      read: () => unlessBusy(() => buffer.toString('utf8', 0, readSync(reading, buffer))),
      fill() {
        const filling = open(file, constants.O_WRONLY | constants.O_NONBLOCK);
        while (unlessBusy(() => writeSync(filling, 'x'.repeat(4_096))) !== undefined);
      },
    };
  };

  it('lets it answer while the log is not read, and later tells the number of missing lines', async () => {
    const { end, read } = pipe();
    const serving = await place.serve('', { ...EACH_REQUEST, COUNTERFOIL_METRICS_PORT: '0' }, end);
    let text = '';
    let url = '';
    await until(() => {
      text += read() ?? '';
      [, url = ''] = /Metrics at (http:[^"\s]+)/.exec(text) ?? [];
      return url !== '';
    });
    const sent = 4_000;
    await ask(serving, sent); // from here on nothing is read
    const metrics = parseExposition(await (await fetch(url)).text());
    const dropped = metrics.value('counterfoil_log_lines_lost_total', { reason: 'dropped' });
    expect(dropped).to.be.within(100, sent);

    const lines = (): readonly { readonly msg: string; readonly dropped?: number }[] =>
      text
        .split('\n')
        .slice(0, -1)
        .filter((line) => line.startsWith('{')) // other output of the first start is not a line of the log
        .map((line) => JSON.parse(line));
    const untilRead = (isThere: () => boolean): Promise<void> =>
      until(() => {
        text += read() ?? '';
        return isThere();
      });
    await untilRead(() => lines().some((line) => line.dropped !== undefined));
    expect(lines().filter(({ msg }) => msg === 'request').length + dropped).to.equal(sent);
    expect(lines().at(-1)).to.include({ dropped });
    await ask(serving, 1);
    await untilRead(() => lines().at(-1)?.msg === 'request');
    expect(await serving.end('SIGTERM')).to.include({ code: 0 });
  });

  it('keeps no process from ending while it is not read, neither a stopped one nor one with a failed start', async () => {
    const { end, fill } = pipe();
    const serving = await place.serve('', EACH_REQUEST, end);
    fill();
    await ask(serving, 3);
    const refused = place.run(`serve --port ${new URL(serving.url).port}`, { errorsTo: end });
    expect(await withinDeadline(refused)).to.include({ code: 1 });
    expect(await withinDeadline(serving.end('SIGTERM'))).to.include({ code: 0 });
  });

  it(`does not end it on a full disk, and answers as ever${WITHOUT_FULL}`, async function full() {
    if (WITHOUT_FULL !== '') return this.skip();
    const serving = await place.serve('', EACH_REQUEST, open('/dev/full', constants.O_WRONLY));
    await ask(serving, 100);
    expect(await withinDeadline(serving.end('SIGTERM'))).to.include({ code: 0 });
    expect(
      await withinDeadline(place.run('serve --port no', { errorsTo: open('/dev/full', constants.O_WRONLY) })),
    ).to.include({ code: 2 });
  });

  it(`fails a command whose result cannot be written, and says so in a line${WITHOUT_FULL}`, async function full() {
    if (WITHOUT_FULL !== '') return this.skip();
    const failed = z.looseObject({ code: z.number(), stderr: z.string() });
    const ran = await promisify(execFile)('sh', [
      '-c',
      '"$0" "$1" version > /dev/full',
      process.execPath,
      compiledMain(),
    ]).catch(failed.parse);
    expect(ran).to.include({
      code: 1,
      stderr: 'The result could not be written: ENOSPC: no space left on device, write\n',
    });
  });

  it('ends it not when its reader has gone', async () => {
    const serving = await place.serve('', EACH_REQUEST);
    serving.process.stderr?.destroy();
    await ask(serving, 100);
    expect(await withinDeadline(serving.end('SIGTERM'))).to.include({ code: 0 });
  });

  it('has a line that comes in thousands a few times, and then how often it came', async () => {
    const script = `import { endLogs, openLog } from ${JSON.stringify(pathToFileURL(join(dirname(compiledMain()), 'log.js')).href)};
      const log = await openLog('info');
      for (let i = 0; i < 24000; i += 1) log.error({ requestId: i }, 'outcome not known');
      await endLogs();`;
    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).to.have.lengthOf(21);
    expect(JSON.parse(lines.at(-1) ?? '')).to.include({ requestId: 23_999, others: 23_979, msg: 'outcome not known' });
  });

  it('is in its file to the last line, and so is the reason of a start that failed', async () => {
    const file = join(place.dir, 'log');
    const end = open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND);
    const serving = await place.serve('', EACH_REQUEST, end);
    await ask(serving, 50);
    await serving.end('SIGTERM');
    expect(await place.run('serve --port no', { errorsTo: end })).to.include({ code: 2 });
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.filter((line) => line.includes('"msg":"request"'))).to.have.lengthOf(50);
    expect(lines.at(-2)).to.contain('SIGTERM: stopping');
    expect(lines.at(-1)).to.contain('--port is "no"');
  });
});

/** Requests that no route takes, each with an id that makes its line long; the last one's says so. */
async function ask({ url }: Serving, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const one = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const id = `${index === count - 1 ? 'last' : index}-`.padEnd(128, 'x');
      get(`${url}/nothing`, { agent, headers: { 'X-Request-Id': id } }, (answer) => {
        answer.resume().once('end', resolve);
      }).once('error', reject);
    });
  await withinDeadline(Promise.all(Array.from({ length: count }, (_, index) => one(index))));
  agent.destroy();
}

/** Undefined: it would have to wait. */
function unlessBusy<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'EAGAIN') return undefined;
    throw fault;
  }
}

async function withinDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
