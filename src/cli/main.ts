#!/usr/bin/env node
// The command line: runs the command that was typed, and turns what it throws into a message and an exit code.
import { explain } from './exit.ts';
import { endWithReader, tell } from './output.ts';
import { program } from './program.ts';

endWithReader();
try {
  await program().parseAsync(process.argv);
} catch (fault) {
  const { code, message } = explain(fault);
  if (message !== undefined) tell(message);
  process.exitCode = code;
}
