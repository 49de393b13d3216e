// Parts of the EventStoreDB adapter on their own: the connection string, the connection that is replaced, and how much
// is under way at a time.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ownConnectionString, sendsNoCredentials } from '../../src/stores/eventstoredb/connection-string.ts';
import { Connections } from '../../src/stores/eventstoredb/connections.ts';
import { SendWindow } from '../../src/stores/eventstoredb/send-window.ts';
import { calmWorld } from '../support/calm-world.ts';

describe('the connection string of one client of EventStoreDB', () => {
  const optionsOf = (url: string): URLSearchParams => new URLSearchParams(ownConnectionString(url).split('?')[1]);

  it('keeps its user, hosts and options', () => {
    const url = 'esdb://user:pass%3Dword@one:2113,two:2113?tls=true&tlsCAFile=/etc/ca=1.crt';
    expect(ownConnectionString(url)).to.match(
      /^esdb:\/\/user:pass%3Dword@one:2113,two:2113\?tls=true&tlscafile=\/etc\/ca=1\.crt&/,
    );
  });

  it('always keeps alive and asks the leader, whatever the string says', () => {
    for (const option of [
      '',
      '?keepAliveInterval=-1',
      '?keep_alive_interval=5',
      '?nodePreference=follower&tls=false',
    ]) {
      const options = optionsOf(`esdb://host:2113${option}`);
      expect(Number(options.get('keepaliveinterval'))).to.be.within(10_000, 11_000);
      expect(options.getAll('nodepreference')).to.deep.equal(['leader']);
    }
    expect(Number(optionsOf('esdb://host?keepAliveInterval=30000').get('keepaliveinterval'))).to.be.within(
      30_000,
      31_000,
    );
  });

  it('differs from client to client, so that no two share a connection and its pauses', () => {
    const made = Array.from({ length: 50 }, () => ownConnectionString('esdb://host:2113?tls=false'));
    expect(new Set(made).size).to.equal(50);
  });

  it('tells whose user is never sent', () => {
    expect(sendsNoCredentials('esdb://user:pass@host?tls=false')).to.equal(true);
    expect(sendsNoCredentials('esdb://user:pass@host?tls=true')).to.equal(false);
    expect(sendsNoCredentials('esdb://host?tls=false')).to.equal(false);
  });
});

describe('the connection that reads share', () => {
  const elsewhere = `-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n`;
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-certificates-'));
  });
  after(() => rm(directory, { recursive: true }));

  it('goes on while a file of certificates is gone for a moment, and is replaced when it is back', async () => {
    const file = join(directory, 'ca.crt');
    await writeFile(file, elsewhere);
    let now = 0;
    const connections = new Connections(`esdb://host:2113?tls=true&tlsCAFile=${file}`, {
      ...calmWorld,
      monotonic: () => now,
    });
    const first = connections.current();
    connections.suspect(first);
    now += 1_000;
    await rm(file);
    expect(connections.current()).to.equal(first);
    await writeFile(file, elsewhere);
    expect(connections.current()).to.not.equal(first);
    connections.close();
  });
});

describe('the window of bytes under way', () => {
  it('lets appends in that fit, makes the rest wait in order, and sends a too large one alone', async () => {
    const window = new SendWindow(10);
    const entered: string[] = [];
    const enter = async (name: string, units: number): Promise<void> => {
      await window.enter(units);
      entered.push(name);
    };
    expect(window.enter(6)).to.equal(undefined);
    const waiting = [enter('large', 25), enter('small', 1), enter('other', 9)];
    window.leave(6);
    await waiting[0];
    expect(entered).to.deep.equal(['large']);
    window.leave(25);
    await Promise.all(waiting);
    expect(entered).to.deep.equal(['large', 'small', 'other']);
    window.leave(1);
    window.leave(9);
    expect(window.enter(10)).to.equal(undefined);
  });
});
