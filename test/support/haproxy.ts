// HAProxy as a process beside a test, where the machine has it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Why HAProxy cannot run here; undefined if it can. */
export const whyNoHaproxy = (): string | undefined =>
  haproxyPath() === undefined ? 'there is no HAProxy: install one (apt-get install haproxy)' : undefined;

export interface Haproxy {
  /** Kills the process and waits for its end. */
  end(): Promise<void>;
}

/** Starts HAProxy with the settings in `file`. Its caller asks until it answers. */
export function startHaproxy(file: string): Haproxy {
  const child = spawn(haproxyPath() ?? '', ['-db', '-f', file], { stdio: 'ignore' });
  return {
    async end() {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function haproxyPath(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders
    .map((folder) => join(folder, 'haproxy'))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
