// The files of a data directory and of a backup that root makes: they belong to the owner of the directory, whose
// service and whose commands have to open them.
import { chown, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { EXIT, explain } from '../../src/cli/exit.ts';
import { secretFileIn } from '../../src/cli/open/machine-secrets.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { leaveOut } from '../support/left-out.ts';
import { Place } from './processes.ts';

const OWNER = 12_345;

describe('files', () => {
  const place = new Place();
  const at = (name: string): string => join(place.dir, name);
  after(() => place.remove());

  it('that root makes belong to the owner of their directory, whatever makes them', async () => {
    if (process.geteuid?.() !== 0) leaveOut('only root gives files to others');
    for (const name of ['data', 'backup', 'back']) {
      await mkdir(at(name));
      await chown(at(name), OWNER, OWNER);
    }
    const ownersIn = async (name: string): Promise<readonly string[]> => {
      const files = await readdir(at(name), { recursive: true });
      return Promise.all(files.map(async (file) => `${file} ${(await stat(join(at(name), file))).uid}`));
    };
    const ofOthers = async (name: string): Promise<readonly string[]> => {
      const owners = await ownersIn(name);
      expect(owners).not.to.deep.equal([]);
      return owners.filter((one) => !one.endsWith(` ${OWNER}`));
    };
    const serving = await place.serve('--json --log-level warn');
    expect(await ofOthers('data')).to.deep.equal([]);
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    const env = { COUNTERFOIL_SECRET: (await readFile(secretFileIn(at('data')), 'utf8')).trim() };
    for (const command of [
      'accounts create --name two',
      'projections rebuild payments',
      'secrets rotate',
      'backup --out backup',
      'restore --from backup --data-dir back',
    ])
      expect(await place.run(command, { env }), command).to.include({ code: 0 });
    for (const name of ['data', 'backup', 'back']) expect(await ofOthers(name)).to.deep.equal([]);
  });

  it('of another user are named, with who has to run the command', () => {
    const fault = Object.assign(new Error("EACCES: permission denied, open '/data/events.db'"), { code: 'EACCES' });
    const { code, message } = explain(new StoreUnavailable('The event store is unavailable', { cause: fault }));
    expect(code).to.equal(EXIT.unavailable);
    expect(message).to.match(/open '\/data\/events\.db'\)\nRun it as the user who owns these files\.$/);
  });

  it('that a link to nothing should have are reported by each command in a sentence', async () => {
    await symlink(at('nowhere'), at('link'));
    for (const command of ['serve --port 0', 'accounts create --name x', 'audit verify', 'doctor']) {
      const { code, stdout, stderr } = await place.run(`${command} --data-dir link`);
      expect(code, command).to.be.oneOf([EXIT.refused, EXIT.usage, EXIT.unavailable]);
      expect(stdout + stderr, command).to.contain('link');
      expect(stdout + stderr, command).not.to.match(/^ +at /m);
    }
  });
});
