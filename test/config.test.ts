// Settings of flags and environment: defaults, allowed values, refusals.
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import {
  cautions,
  checkSecretIsSet,
  describeConfig,
  readConfig,
  unknownVariables,
  WrongSettings,
} from '../src/config.ts';
import { SETTING_NAMES, SETTINGS } from '../src/settings.ts';

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
      eventStore: { kind: 'sqlite', file: resolve('data/events.db') },
      readModels: { kind: 'sqlite', file: resolve('data/read-models.db') },
      storeWait: 30,
      mode: 'test',
      secrets: undefined,
      publicUrl: undefined,
      rateLimit: 500,
      workers: 1,
      unreadySeconds: 0,
      trustedProxies: [],
      logLevel: 'info',
      sandboxUrl: undefined,
      checkpointEvery: 3_600_000,
      idempotencyDays: 30,
      requestLogDays: 30,
      deliveryDays: 90,
      signInDays: 30,
      keyStore: undefined,
      metricsPort: undefined,
    });
  });

  it('reads each setting that it lists: another value changes the configuration, or is refused by its name', () => {
    const defaults = readConfig({}, {});
    for (const name of SETTING_NAMES) {
      const { variable } = SETTINGS[name];
      let outcome: string;
      try {
        const config = readConfig({}, { [variable]: 'no value of it' });
        outcome = isDeepStrictEqual(config, defaults) ? 'ignored' : 'taken';
      } catch (fault) {
        outcome = String(fault).includes(variable) ? 'refused' : String(fault);
      }
      expect(outcome, variable).to.be.oneOf(['taken', 'refused']);
    }
  });

  it('takes proxies as addresses and networks', () => {
    const listed = readConfig({}, { COUNTERFOIL_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7,fd00::/8' }).trustedProxies;
    expect(listed).to.deep.equal(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']);
    for (const wrong of ['proxy', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', ',', 'fd00::/129'])
      expect(problemsOf({}, { COUNTERFOIL_TRUSTED_PROXIES: wrong })).to.match(
        /COUNTERFOIL_TRUSTED_PROXIES is .*addresses and networks/,
      );
  });

  it('takes workers as a number from 1 to 64, or as one for each core', () => {
    expect(readConfig({ workers: '3' }, {}).workers).to.equal(3);
    expect(readConfig({}, { COUNTERFOIL_WORKERS: 'max' }).workers).to.be.within(1, 64);
    for (const wrong of ['0', '65', '-1', '1.5', 'all'])
      expect(problemsOf({ workers: wrong }, {})).to.match(/^--workers is .* from 1 to 64, or max\.$/);
  });

  it('takes a flag over the environment, and the environment over the default', () => {
    expect(readConfig({ port: '1' }, { COUNTERFOIL_PORT: '2' }).port).to.equal(1);
    expect(readConfig({}, { COUNTERFOIL_PORT: '2' }).port).to.equal(2);
  });

  it('counts an empty variable as one that is not set', () => {
    expect(readConfig({}, { COUNTERFOIL_PORT: '', COUNTERFOIL_SECRET: '' })).to.include({
      port: 4000,
      secrets: undefined,
    });
  });

  it('puts the embedded stores into the data directory unless they are named', () => {
    const { eventStore, readModels } = readConfig({ dataDir: '/srv/cf', eventStore: 'sqlite:/ssd/log.db' }, {});
    expect([eventStore, readModels]).to.deep.equal([
      { kind: 'sqlite', file: '/ssd/log.db' },
      { kind: 'sqlite', file: '/srv/cf/read-models.db' },
    ]);
  });

  for (const url of [
    'esdb://localhost:2113',
    'esdb://admin:changeit@a:2113,b:2113,[::1]:2113?tls=true&keepAliveTimeout=10000',
    'esdb+discover://cluster.example/',
  ]) {
    it(`takes ${url} for the event log, whatever the read models are in`, () => {
      for (const readModels of ['sqlite:read-models.db', 'mongodb://localhost']) {
        const config = readConfig({}, { COUNTERFOIL_EVENT_STORE: url, COUNTERFOIL_READ_MODELS: readModels });
        expect(config.eventStore).to.deep.equal({ kind: 'eventstoredb', url });
        expect(config.readModels.kind).to.equal(readModels.startsWith('sqlite') ? 'sqlite' : 'mongodb');
      }
    });
  }

  for (const url of [
    'mongodb://localhost',
    'mongodb://counterfoil:p%40ss@a:27017,b:27017/counterfoil?replicaSet=rs0',
    'mongodb+srv://counterfoil:pass@cluster.example/counterfoil',
    'mongodb://%2Ftmp%2Fmongodb-27017.sock/counterfoil',
  ]) {
    it(`takes ${url} for the read models, whatever the event log is in`, () => {
      for (const eventStore of ['sqlite:events.db', 'esdb://localhost:2113']) {
        const config = readConfig({ eventStore, readModels: url }, {});
        expect(config.readModels).to.deep.equal({ kind: 'mongodb', url });
        expect(config.eventStore.kind).to.equal(eventStore.startsWith('sqlite') ? 'sqlite' : 'eventstoredb');
      }
    });
  }

  for (const [variable, value, allowed] of [
    ['COUNTERFOIL_PORT', '65536', 'a whole number from 0 to 65535'],
    ['COUNTERFOIL_PORT', '4e3', 'a whole number from 0 to 65535'],
    ['COUNTERFOIL_HOST', 'two words', 'a host name or address'],
    ['COUNTERFOIL_MODE', 'production', 'test or live'],
    ['COUNTERFOIL_RATE_LIMIT', '-1', 'a whole number from 0 to 1000000'],
    ['COUNTERFOIL_LOG_LEVEL', 'loud', 'fatal, error, warn, info, debug, trace or silent'],
    ['COUNTERFOIL_PUBLIC_URL', 'ftp://shop.example', 'an http:// or https:// URL'],
    [
      'COUNTERFOIL_PUBLIC_URL',
      'https://shop.example/money',
      'without path, query and fragment, because the pages load',
    ],
    ['COUNTERFOIL_PUBLIC_URL', 'https://shop.example/money/', 'without path'],
    ['COUNTERFOIL_EVENT_STORE', 'postgres://db', 'sqlite:<path of a file>'],
    ['COUNTERFOIL_READ_MODELS', 'sqlite:', 'sqlite:<path of a file'],
    ['COUNTERFOIL_EVENT_STORE', 'esdb://', 'esdb://<host:port>'],
    ['COUNTERFOIL_EVENT_STORE', 'esdb://a:2113,,b:2113', 'esdb://<host:port>'],
    ['COUNTERFOIL_EVENT_STORE', 'mongodb://db:27017', 'esdb+discover://<host:port>'],
    ['COUNTERFOIL_READ_MODELS', 'esdb://db:2113', 'mongodb+srv://<host>'],
    ['COUNTERFOIL_READ_MODELS', 'sqlite:read-models', 'ends in .db'],
    ['COUNTERFOIL_READ_MODELS', 'mongodb:localhost', 'mongodb://<host:port>'],
    ['COUNTERFOIL_SANDBOX_URL', 'node-1:4000', 'http:// or https:// URL of the node'],
    ['COUNTERFOIL_SANDBOX_URL', 'http://node-1:4000/?a=b', 'http:// or https:// URL of the node'],
    ['COUNTERFOIL_CHECKPOINT_EVERY', '59s', 'a whole number and a unit from 1m to 30d, such as 1h; 0 or off'],
    ['COUNTERFOIL_CHECKPOINT_EVERY', '31d', 'a whole number and a unit from 1m to 30d, such as 1h; 0 or off'],
    ['COUNTERFOIL_CHECKPOINT_EVERY', '0m', 'a whole number and a unit from 1m to 30d, such as 1h; 0 or off'],
    ['COUNTERFOIL_IDEMPOTENCY_DAYS', '29', 'a whole number of days from 30, which the API promises, to 3650'],
    ['COUNTERFOIL_IDEMPOTENCY_DAYS', 'forever', 'a whole number of days from 30, which the API promises, to 3650'],
    ['COUNTERFOIL_REQUEST_LOG_DAYS', '0', 'a whole number of days from 1 to 3650, or forever'],
    ['COUNTERFOIL_DELIVERY_DAYS', '3651', 'a whole number of days from 1 to 3650, or forever'],
    ['COUNTERFOIL_SIGN_IN_DAYS', '30d', 'a whole number of days from 1 to 3650, or forever'],
    ['COUNTERFOIL_SIGN_IN_DAYS', '1.5', 'a whole number of days from 1 to 3650, or forever'],
    ['COUNTERFOIL_METRICS_PORT', '65536', 'a whole number from 0 to 65535'],
    ['COUNTERFOIL_METRICS_PORT', 'on', 'a whole number from 0 to 65535'],
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

  it('takes no port for both the API and the metrics', () => {
    expect(problemsOf({ port: '5000', metricsPort: '5000' }, {})).to.match(
      /^COUNTERFOIL_METRICS_PORT is 5000: .*COUNTERFOIL_PORT/,
    );
  });

  it('takes 0 and any port for metrics, and the URL of a sandbox without its last slash', () => {
    expect(readConfig({ metricsPort: '0' }, {}).metricsPort).to.equal(0);
    expect(readConfig({}, { COUNTERFOIL_METRICS_PORT: '9464' }).metricsPort).to.equal(9464);
    expect(readConfig({ port: '0', metricsPort: '0' }, {}).metricsPort).to.equal(0);
    for (const [text, ms] of [
      ['0', undefined],
      ['off', undefined],
      ['1m', 60_000],
      ['24h', 86_400_000],
      ['30d', 2_592_000_000],
    ] as const)
      expect(readConfig({}, { COUNTERFOIL_CHECKPOINT_EVERY: text }).checkpointEvery).to.equal(ms);
    expect(readConfig({}, { COUNTERFOIL_DELIVERY_DAYS: '1' }).deliveryDays).to.equal(1);
    expect(readConfig({}, { COUNTERFOIL_DELIVERY_DAYS: 'forever' }).deliveryDays).to.equal(undefined);
    expect(readConfig({}, { COUNTERFOIL_SANDBOX_URL: 'http://node-1:4000/' }).sandboxUrl).to.equal(
      'http://node-1:4000',
    );
  });

  for (const [variable, url] of [
    ['COUNTERFOIL_EVENT_STORE', 'esdb://admin:changeit@a:1,,b'],
    ['COUNTERFOIL_EVENT_STORE', 'esdb://admin:chang/eit@a:1'],
    ['COUNTERFOIL_EVENT_STORE', 'admin:changeit@a:1'],
    ['COUNTERFOIL_EVENT_STORE', 'mongodb://admin:changeit@a:1'],
    ['COUNTERFOIL_READ_MODELS', 'mongodb://admin:change@it@a:1'],
    ['COUNTERFOIL_READ_MODELS', 'mongodb://admin:cha?ngeit@a:1/db'],
    ['COUNTERFOIL_SANDBOX_URL', 'http://admin:changeit@node-1:4000'],
  ] as const) {
    it(`refuses ${variable}=${url} without repeating the password`, () => {
      expect(problemsOf({}, { [variable]: url }))
        .to.contain(variable)
        .and.to.contain('admin:********@')
        .and.to.match(/^(?!.*(?:change?|eit\b|cha\?))/);
    });
  }

  it('refuses a sandbox on another node in live mode', () => {
    const env = { COUNTERFOIL_MODE: 'live', COUNTERFOIL_SECRET: one, COUNTERFOIL_SANDBOX_URL: 'http://node-1:4000' };
    expect(problemsOf({}, env)).to.match(/^COUNTERFOIL_SANDBOX_URL is http:\/\/node-1:4000, .* test mode only/);
  });

  it('refuses one file for both stores', () => {
    expect(problemsOf({ eventStore: 'sqlite:a.db', readModels: 'sqlite:a.db' }, {})).to.contain(
      'COUNTERFOIL_READ_MODELS',
    );
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

  for (const env of [
    { COUNTERFOIL_EVENT_STORE: 'esdb://admin:changeit@db:2113' },
    { COUNTERFOIL_READ_MODELS: 'mongodb://admin:changeit@db:27017' },
    { COUNTERFOIL_SANDBOX_URL: 'http://node-1:4000' },
  ]) {
    it(`refuses ${Object.keys(env)} without a secret, says why and how one is made`, () => {
      expect(() => checkSecretIsSet(readConfig({}, env)))
        .to.throw(WrongSettings)
        .with.property('message')
        .that.matches(/^COUNTERFOIL_SECRET is not set: .* the same secret\. .*randomBytes\(32\)/)
        .and.does.not.contain('changeit');
      expect(() => checkSecretIsSet(readConfig({}, { ...env, COUNTERFOIL_SECRET: one }))).not.to.throw();
    });
  }

  it('describes all of them with their origin, secrets masked', () => {
    const all = describeConfig({ port: '1' }, { COUNTERFOIL_HOST: 'h', COUNTERFOIL_SECRET: `${one},${other}` });
    expect(all.map(({ name }) => name)).to.deep.equal(SETTING_NAMES);
    expect(all).to.deep.include({ name: 'port', variable: 'COUNTERFOIL_PORT', value: '1', origin: 'flag' });
    expect(all).to.deep.include({ name: 'host', variable: 'COUNTERFOIL_HOST', value: 'h', origin: 'environment' });
    expect(all).to.deep.include({ name: 'mode', variable: 'COUNTERFOIL_MODE', value: 'test', origin: 'default' });
    expect(JSON.stringify(all)).not.to.contain(one).and.not.to.contain(other);
  });

  for (const [url, shown] of [
    ['esdb://admin:changeit@a:2113,b:2113?tls=false', 'esdb://admin:********@a:2113,b:2113?tls=false'],
    ['esdb://a:2113,b:2113', 'esdb://a:2113,b:2113'],
    ['mongodb+srv://user:p%40ss@db/counterfoil?x=1', 'mongodb+srv://user:********@db/counterfoil?x=1'],
    ['mongodb://user@a:1,b:2/counterfoil', 'mongodb://user@a:1,b:2/counterfoil'],
    ['mongodb://a:1/?proxyPassword=changeit&proxyHost=p', 'mongodb://a:1/?proxyPassword=********&proxyHost=p'],
    [
      'mongodb://a:1/?authMechanismProperties=AWS_SESSION_TOKEN:changeit',
      'mongodb://a:1/?authMechanismProperties=AWS_SESSION_TOKEN:********',
    ],
    [
      'mongodb://a:1/?tls=true&proxyPassword=change,it#x&proxyHost=p',
      'mongodb://a:1/?tls=true&proxyPassword=********&proxyHost=p',
    ],
    ['mongodb://user:x@a:1/?proxyPassword=change@it', 'mongodb://user:********'],
    ['mongodb://[::1]:1,a:2/db', 'mongodb://[::1]:1,a:2/db'],
    ['esdb://admin:changeit', 'esdb://admin:********'],
    ['esdb://admin:changeit%40a:2113?tls=false', 'esdb://admin:********?tls=false'],
  ] as const) {
    it(`shows ${url} as ${shown}`, () => {
      const name = url.startsWith('esdb') ? 'eventStore' : 'readModels';
      expect(describeConfig({ [name]: url }, {}).find((setting) => setting.name === name)).to.include({ value: shown });
    });
  }

  it('cautions against live mode without an https:// address of its own', () => {
    const live = { mode: 'live' } as const;
    expect(cautions({ ...live, publicUrl: undefined })).to.have.length(1);
    expect(cautions({ ...live, publicUrl: 'http://pay.example' }).join()).to.match(
      /^COUNTERFOIL_PUBLIC_URL is http:\/\/pay\.example: /,
    );
    expect(cautions({ ...live, publicUrl: 'https://pay.example' })).to.deep.equal([]);
    expect(cautions({ mode: 'test', publicUrl: undefined })).to.deep.equal([]);
  });

  it('finds variables that are not settings', () => {
    expect(unknownVariables({ COUNTERFOIL_PROT: '1', COUNTERFOIL_PORT: '1', PATH: '' })).to.deep.equal([
      'COUNTERFOIL_PROT',
    ]);
    const ofShops = {
      COUNTERFOIL_URL: 'http://127.0.0.1:4000',
      COUNTERFOIL_API_KEY: 'k',
      COUNTERFOIL_WEBHOOK_SECRET: 's',
    };
    expect(unknownVariables(ofShops)).to.deep.equal([]);
  });
});
