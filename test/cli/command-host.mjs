// Runs commands of the command line one after the other in one process, for tests that run hundreds: loading the program
// takes longer than what most commands do. test/bundle-command-line.mjs bundles it; command-hosts.ts starts it and speaks to it.
// main.ts does the same once, and ends the process.
import { explain } from '../../dist/cli/exit.js';
import { endLogs } from '../../dist/cli/log.js';
import { onBrokenOutput, tell, untilTaken } from '../../dist/cli/output.js';
import { program } from '../../dist/cli/program.js';

onBrokenOutput();
process.setMaxListeners(0); // each log waits for the end of the process
process.on('disconnect', () => process.exit());
process.on('message', async ({ args, env, cwd, end }) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, 'counterfoil', ...args];
  process.exitCode = undefined;
  try {
    await program().parseAsync(process.argv);
  } catch (fault) {
    const { code, message } = explain(fault);
    if (message !== undefined) tell(message);
    process.exitCode = code;
  }
  await endLogs();
  await untilTaken();
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  process.stdout.write(`${end}${code}\n`);
  process.stderr.write(end);
});
