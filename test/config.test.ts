import { resolve } from 'node:path';
import { expect } from 'chai';
import { checkSecretIsSet, describeConfig, readConfig, SETTING_NAMES, unknownVariables, WrongSettings } from '../src/config.ts';

const one = 'A'.repeat(43);
const other = `${'B'.repeat(42)}A`;

const problemsOf = (flags: Parameters<typeof readConfig>[0], env: Parameters<typeof readConfig>[1]): string => {
  try {
    readConfig(flags, env);
  } catch (fault) {
    if (fault instanceof WrongSettings) return fault.message;
    throw fault;
  }
  throw new Error('nothing was wrong');
};

describe('settings', () => {
  it('has the documented defaults', () => {
    expect(readConfig({}, {})).to.deep.equal({
      host: '127.0.0.1',
      port: 4000,
      dataDir: resolve('data'),
      eventFile: resolve('data/events.db'),
      readModelFile: resolve('data/read-models.db'),
      mode: 'test',
      secrets: undefined,
      publicUrl: undefined,
      rateLimit: 500,
      logLevel: 'info',
    });
  });

  it('takes a flag over the environment, and the environment over the default', () => {
    expect(readConfig({ port: '1' }, { COUNTERFOIL_PORT: '2' }).port).to.equal(1);
    expect(readConfig({}, { COUNTERFOIL_PORT: '2' }).port).to.equal(2);
  });

  it('counts an empty variable as one that is not set', () => {
    expect(readConfig({}, { COUNTERFOIL_PORT: '', COUNTERFOIL_SECRET: '' })).to.include({ port: 4000, secrets: undefined });
  });

  it('puts the embedded stores into the data directory unless they are named', () => {
    const { eventFile, readModelFile } = readConfig({ dataDir: '/srv/cf', eventStore: 'sqlite:/ssd/log.db' }, {});
    expect([eventFile, readModelFile]).to.deep.equal(['/ssd/log.db', '/srv/cf/read-models.db']);
  });

  for (const [variable, value, allowed] of [
    ['COUNTERFOIL_PORT', '65536', 'a whole number from 0 to 65535'],
    ['COUNTERFOIL_PORT', '4e3', 'a whole number from 0 to 65535'],
    ['COUNTERFOIL_HOST', 'two words', 'a host name or address'],
    ['COUNTERFOIL_MODE', 'production', 'test or live'],
    ['COUNTERFOIL_RATE_LIMIT', '-1', 'a whole number from 0 to 1000000'],
    ['COUNTERFOIL_LOG_LEVEL', 'loud', 'fatal, error, warn, info, debug, trace or silent'],
    ['COUNTERFOIL_PUBLIC_URL', 'ftp://shop.example', 'an http:// or https:// URL'],
    ['COUNTERFOIL_EVENT_STORE', 'postgres://db', 'sqlite:<path of a file>'],
    ['COUNTERFOIL_READ_MODELS', 'sqlite:', 'sqlite:<path of a file'],
    ['COUNTERFOIL_METRICS_PORT', '9090', 'nothing yet'],
  ] as const) {
    it(`refuses ${variable}=${value}, and names the setting, the value and what is allowed`, () => {
      expect(problemsOf({}, { [variable]: value }))
        .to.contain(variable)
        .and.to.contain(value)
        .and.to.contain(allowed);
    });
  }

  it('names the flag when that is what is wrong', () => {
    expect(problemsOf({ port: 'x' }, { COUNTERFOIL_PORT: '4000' })).to.match(/^--port is "x"/);
  });

  it('names every wrong setting at once, a line each', () => {
    expect(problemsOf({}, { COUNTERFOIL_PORT: 'x', COUNTERFOIL_MODE: 'y' }).split('\n')).to.have.length(2);
  });

  it('says of EventStoreDB and MongoDB that they come with the next release, without their password', () => {
    const events = problemsOf({}, { COUNTERFOIL_EVENT_STORE: 'esdb://admin:changeit@db:2113?tls=false' });
    expect(events).to.contain('EventStoreDB comes with the next release').and.not.to.contain('changeit');
    const readModels = problemsOf({}, { COUNTERFOIL_READ_MODELS: 'mongodb+srv://db' });
    expect(readModels).to.contain('MongoDB comes with the next release');
  });

  it('refuses one file for both stores', () => {
    expect(problemsOf({ eventStore: 'sqlite:a.db', readModels: 'sqlite:a.db' }, {})).to.contain('COUNTERFOIL_READ_MODELS');
  });

  it('takes several secrets of 32 bytes, the one that makes first', () => {
    const { secrets } = readConfig({}, { COUNTERFOIL_SECRET: `${one}, ${other}` });
    expect(secrets?.map((secret) => secret.toString('base64url'))).to.deep.equal([one, other]);
  });

  it('refuses a secret of another length or alphabet without repeating it', () => {
    for (const secret of ['short', `${one}A`, one.replace('A', '+'), `${one},`]) {
      expect(problemsOf({}, { COUNTERFOIL_SECRET: secret }))
        .to.contain('COUNTERFOIL_SECRET')
        .and.contain('32 bytes')
        .and.not.contain(secret);
    }
  });

  it('refuses live mode without a secret', () => {
    const check = (env: Parameters<typeof readConfig>[1]) => () => checkSecretIsSet(readConfig({}, env));
    expect(check({ COUNTERFOIL_MODE: 'live' })).to.throw(WrongSettings, 'COUNTERFOIL_SECRET');
    expect(check({ COUNTERFOIL_MODE: 'live', COUNTERFOIL_SECRET: one })).not.to.throw();
    expect(check({})).not.to.throw();
  });

  it('describes all of them with their origin, secrets masked', () => {
    const all = describeConfig({ port: '1' }, { COUNTERFOIL_HOST: 'h', COUNTERFOIL_SECRET: `${one},${other}` });
    expect(all.map(({ name }) => name)).to.deep.equal(SETTING_NAMES);
    expect(all).to.deep.include({ name: 'port', variable: 'COUNTERFOIL_PORT', value: '1', origin: 'flag' });
    expect(all).to.deep.include({ name: 'host', variable: 'COUNTERFOIL_HOST', value: 'h', origin: 'environment' });
    expect(all).to.deep.include({ name: 'mode', variable: 'COUNTERFOIL_MODE', value: 'test', origin: 'default' });
    expect(JSON.stringify(all)).not.to.contain(one).and.not.to.contain(other);
  });

  it('finds variables that are no settings', () => {
    expect(unknownVariables({ COUNTERFOIL_PROT: '1', COUNTERFOIL_PORT: '1', PATH: '' })).to.deep.equal(['COUNTERFOIL_PROT']);
  });
});
