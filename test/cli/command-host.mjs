// The command line as tests start it, bundled by test/bundle-command-line.mjs. With a channel to its parent it runs
// commands one after the other, because loading the program takes longer than what most commands do; command-hosts.ts
// speaks to it. Without, and as a worker of `serve`, it runs one as main.ts does.
import { endBy } from '../../dist/cli/exit.js';
import { endLogs } from '../../dist/cli/log.js';
import { documentsBegun, onBrokenOutput, untilTaken } from '../../dist/cli/output.js';
import { program } from '../../dist/cli/program.js';

async function run() {
  const before = documentsBegun();
  try {
    await program().parseAsync(process.argv);
  } catch (fault) {
    endBy(fault, process.argv, before);
  }
  await endLogs();
  await untilTaken();
}

async function runInTurn({ args, env, cwd, end }) {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, 'counterfoil', ...args];
  process.exitCode = undefined;
  await run();
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  process.stdout.write(`${end}${code}\n`);
  process.stderr.write(end);
}

onBrokenOutput();
if (process.send === undefined || process.env.COUNTERFOIL_WORKER_PLACE !== undefined) run().then(() => process.exit());
else {
  process.setMaxListeners(0); // each log waits for the end of the process
  process.on('disconnect', () => process.exit());
  process.on('message', runInTurn);
}
