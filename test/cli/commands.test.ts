// The commands of the built command line, beside a running service.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Place, type Serving } from './processes.ts';

interface Demo {
  readonly paymentId: string;
  readonly status: string;
  readonly exchanges: readonly { readonly method: string; readonly path: string; readonly status: number }[];
}
const isDemo = (value: unknown): value is Demo => typeof value === 'object' && value !== null && 'paymentId' in value;

const dataOf = (value: unknown): readonly unknown[] => {
  if (typeof value !== 'object' || value === null || !('data' in value) || !Array.isArray(value.data))
    throw new Error('no list');
  return value.data;
};

describe('counterfoil, beside a running service', () => {
  const place = new Place();
  let serving: Serving;
  let paid: Demo;
  before(async () => {
    serving = await place.serve();
    const printed = await place.json(`demo --url ${serving.url}`);
    if (!isDemo(printed)) throw new Error('the demo printed something else');
    paid = printed;
  });
  after(() => place.remove());

  it('demo pays, captures and refunds, and revokes its key', async () => {
    expect(paid.status).to.equal('SETTLED');
    expect(
      paid.exchanges.map(({ method, path, status }) => `${method} ${path.replace(paid.paymentId, ':id')} ${status}`),
    ).to.deep.equal([
      'POST /client-session 200',
      'POST /checkout/payment-instruments 200',
      'POST /payments 200',
      'POST /payments/:id/capture 200',
      'POST /payments/:id/refund 200',
    ]);
    const keys = dataOf(await place.json('keys list'));
    expect(JSON.stringify(keys.find((key) => JSON.stringify(key).includes('"name":"Demo"')))).to.contain(
      '"state":"revoked"',
    );
  });

  it('payments list and show print the payment', async () => {
    const [all, several, authorized, unknown, shown] = await Promise.all([
      place.json('payments list'),
      place.json('payments list --status AUTHORIZED,SETTLED --limit 1'),
      place.json('payments list --status AUTHORIZED'),
      place.json('payments list --unknown'),
      place.json(`payments show ${paid.paymentId}`),
    ]);
    expect(dataOf(all)).to.have.length(1);
    expect(dataOf(several)).to.deep.equal(dataOf(all));
    expect(dataOf(all)[0]).to.include({ id: paid.paymentId, status: 'SETTLED', amount: 5490 });
    expect([dataOf(authorized), dataOf(unknown)]).to.deep.equal([[], []]);
    expect(shown).to.include({ id: paid.paymentId, version: 6 });
    expect(await place.codes(['payments list --status PAID', 'payments show pay_nothing'])).to.deep.equal([2, 1]);
  });

  it('audit replay tells the story of the payment, and its states in between', async () => {
    const { stdout } = await place.run(`audit replay ${paid.paymentId} --diff`);
    const events = [...stdout.matchAll(/^(\d) {2}\S+ {2}(\w+) {2}by /gm)].map(
      ([, revision, type]) => `${revision} ${type}`,
    );
    expect(events).to.deep.equal([
      '0 PaymentCreated',
      '1 AuthorizationRequested',
      '2 PaymentAuthorized',
      '3 CaptureRequested',
      '4 PaymentCaptured',
      '5 RefundRequested',
      '6 RefundSucceeded',
    ]);
    expect(stdout)
      .to.contain('~ $.status: "PENDING" -> "AUTHORIZED"')
      .and.to.contain('~ $.status: "AUTHORIZED" -> "SETTLED"');
    const changed = stdout.split('\n').filter((line) => !/^(?:payment-.*|\d {2}.*| {2}[+~-] .*|)$/.test(line));
    expect(changed, 'lines without a change').to.deep.equal([]);
    const story = (await place.run(`audit replay ${paid.paymentId}`, { env: { COLUMNS: '' } })).stdout
      .trimEnd()
      .split('\n');
    expect(story.slice(2)).to.have.length(1 + events.length);
    expect(story[5]).to.match(/^2 +\S+Z +PaymentAuthorized .*\bstatus\b/);
    const then = await place.run(`audit replay ${paid.paymentId} --revision 2`);
    expect(then.stdout).to.contain('\nstate\n{').and.to.contain('"AUTHORIZED"');
    const authorized = await place.json(`audit replay ${paid.paymentId} --revision 2`);
    expect(authorized).to.have.nested.property('state.status', 'AUTHORIZED');
    const last = dataOf(await place.json(`audit show ${paid.paymentId}`)).at(2);
    if (typeof last !== 'object' || last === null || !('recordedAt' in last))
      throw new Error('an event without a time');
    expect(await place.json(`audit replay ${paid.paymentId} --at ${last.recordedAt}`)).to.have.nested.property(
      'state.status',
      'AUTHORIZED',
    );
    const wrong = [
      `audit replay ${paid.paymentId} --at 2001-01-01T00:00:00Z`,
      `audit replay ${paid.paymentId} --at yesterday`,
      'audit replay nonsense',
    ];
    expect(await place.codes(wrong)).to.deep.equal([1, 2, 2]);
  });

  it('audit show prints a line an event, and streams every stream', async () => {
    const { stdout } = await place.run(`audit show payment-${paid.paymentId} --jsonl`);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).revision)).to.deep.equal([0, 1, 2, 3, 4, 5, 6]);
    const streams = dataOf(await place.json('audit streams'));
    expect(streams).to.deep.include.members(dataOf(await place.json('audit streams --prefix payment-')));
    expect(JSON.stringify(streams)).to.contain('"store-0"').and.to.contain(`payment-${paid.paymentId}`);
  });

  it('projections rebuild proves a read model equal while the service runs, and lists it afterwards', async () => {
    const rebuilt = dataOf(await place.json('projections rebuild payments'));
    expect(rebuilt).to.have.length(1);
    expect(rebuilt[0]).to.include({ name: 'payments', documents: 1, equal: true, swapped: true });
    expect(dataOf(await place.json('projections rebuild payments --dry-run'))[0]).to.include({
      equal: true,
      swapped: false,
    });
    const all = dataOf(await place.json('projections list'));
    expect(all.find((one) => JSON.stringify(one).includes('"name":"payments"'))).to.include({
      documents: 1,
      parked: 0,
      state: 'live',
    });
    expect(dataOf(await place.json('projections parked'))).to.deep.equal([]);
    const wrong = [
      'projections rebuild',
      'projections rebuild nothing',
      `projections retry payments ${paid.paymentId}`,
    ];
    expect(await place.codes(wrong)).to.deep.equal([2, 2, 1]);
    // Each that was begun is on record as an act of the operator, and nothing else is.
    const acts = (await place.run('audit streams --prefix act-')).stdout.match(/act-\w+/g) ?? [];
    const shown = await Promise.all(acts.map((stream) => place.run(`audit show ${stream}`)));
    const [first = '', second = '', ...others] = shown.map(({ stdout }) => stdout).toSorted();
    for (const stdout of [first, second]) expect(stdout).to.match(/RebuildRequested +operator cli/);
    expect(others).to.deep.equal([]);
  });

  it('accounts set-origins names all origins from now on, on record as an act of the operator', async () => {
    const set = await place.run('accounts set-origins --origins https://shop.example,https://www.shop.example');
    const [, accountId = ''] =
      /^(acc_\w+) may be framed by: https:\/\/shop\.example, https:\/\/www\.shop\.example\n$/.exec(set.stdout) ?? [];
    expect(set).to.include({ code: 0, stderr: '' });
    const listed = async () => dataOf(await place.json('accounts list'));
    expect(await place.json('accounts set-origins --origins https://shop.example')).to.deep.include({
      id: accountId,
      allowedOrigins: ['https://shop.example'],
    });
    const refused = ['https://shop.example/path', 'http://shop.example', '*'].map(
      (origin) => `accounts set-origins --origins ${origin}`,
    );
    expect(await place.codes(refused)).to.deep.equal([1, 1, 1]);
    expect(
      await place.codes(['accounts set-origins', 'accounts set-origins --origins none --account acc_none']),
    ).to.deep.equal([2, 1]);
    expect((await listed())[0]).to.deep.include({ id: accountId, allowedOrigins: ['https://shop.example'] });
    expect((await place.run('accounts set-origins --origins none')).stdout).to.equal(
      `${accountId} may be framed by: no origin\n`,
    );
    const { stdout } = await place.run(`audit show ${accountId}`);
    expect(stdout.match(/AllowedOriginsSet +operator cli/g)).to.have.length(3);
  });

  it('a refusal of the service with --json has the error id of the API', async () => {
    const ran = await place.run('payments resolve pay_1 --as failed --evidence hearsay --json');
    expect(ran.code).to.equal(1);
    expect(JSON.parse(ran.stdout)).to.have.nested.property('error.id', 'NotFound');
  });

  it('a service that does not answer, or has other stores, is told apart from a service that refuses', async () => {
    expect((await place.run('demo --url http://127.0.0.1:1')).code).to.equal(2);
    const other = new Place();
    try {
      await (await other.serve()).end('SIGTERM');
      const { code, stderr } = await other.run(`demo --url ${serving.url}`);
      expect(code).to.equal(2);
      expect(stderr).to.contain('the service runs on other stores');
    } finally {
      await other.remove();
    }
  });
});

describe('counterfoil without a service', () => {
  const place = new Place();
  after(() => place.remove());

  it('demo runs in memory and leaves no file', async () => {
    const { code, stdout, stderr } = await place.run('demo', { env: { COUNTERFOIL_PORT: '1' } });
    expect(code).to.equal(0);
    expect(stdout).to.match(
      /\nSummary\n\npayment +pay_\S+\nstatus +SETTLED\nauthorized +54\.90 EUR\ncaptured +54\.90 EUR\nrefunded +25\.00 EUR\n\n5 requests/,
    );
    expect(stdout).to.match(/^POST \/client-session {2}200 after \d+ ms\nPOST /);
    expect(stdout.split('\n')).to.have.length.below(20);
    expect(stderr).to.contain('a service in memory');
    expect((await place.run('keys list')).code).to.equal(2);
    const whole = await place.run('demo --verbose', { env: { COUNTERFOIL_PORT: '1' } });
    expect(whole.stdout).to.contain('"paymentMethodToken"').and.to.contain('(X-Client-Token)');
  });

  it('an unknown command is answered with those that may be meant: 2', async () => {
    const meant: { readonly [command: string]: string } = {
      'kees list': 'Did you mean `counterfoil keys`?',
      'keys lsit': 'Did you mean `counterfoil keys list`?',
      resend: 'Did you mean `counterfoil webhooks resend`?',
      'notifications list': 'The commands here are parked, retry, discard: see `counterfoil notifications --help`.',
      show: '`counterfoil --help` lists the commands.',
    };
    for (const [command, words] of Object.entries(meant)) {
      const { code, stderr } = await place.run(command);
      expect(code, command).to.equal(2);
      expect(stderr, command)
        .to.match(/^error: unknown command '\w+'\n/)
        .and.to.contain(words);
    }
  });

  it('help has the options of the command itself, and --help settings the settings that it takes', async () => {
    const helpOf = async (command: string): Promise<string> => (await place.run(command)).stdout;
    const own = await helpOf('payments list --help');
    expect(own)
      .to.contain('--unknown')
      .and.to.contain('Settings: --help settings shows the 6 that')
      .and.not.contain('--data-dir');
    const settings = await helpOf('payments list --help settings');
    expect(settings).to.contain('--data-dir <path>').and.to.contain('COUNTERFOIL_MODE').and.not.contain('--unknown');
    expect(await helpOf('--help settings'))
      .to.contain('COUNTERFOIL_SECRET')
      .and.to.contain('--metrics-port <number>');
    for (const line of [own, settings].join('\n').split('\n')) expect(line.length, line).to.be.at.most(80);
  });

  it('a refusal with --json is a document on stdout too: its id, its message and its exit code', async () => {
    const refused: { readonly [command: string]: readonly [number, string, RegExp] } = {
      'keys lsit': [2, 'WrongUsage', /^unknown command 'lsit'/],
      'payments list --limit none': [2, 'WrongUsage', /a whole number from 1 to 1000/],
      'payments resolve pay_1 --as perhaps --evidence x': [2, 'WrongUsage', /^--as is "perhaps"/],
      'keys list': [2, 'WrongUsage', /^There is no store in \S+ yet\./],
      'audit streams --store-wait 0 --event-store esdb://127.0.0.1:1?tls=false': [
        3,
        'Unavailable',
        /^The event store /,
      ],
    };
    for (const [command, [code, id, message]] of Object.entries(refused)) {
      const ran = await place.run(`${command} --json`);
      expect(ran.code, command).to.equal(code);
      const { error }: { readonly error: { readonly id: string; readonly message: string } } = JSON.parse(ran.stdout);
      expect(error.id, command).to.equal(id);
      expect(error.message, command).to.match(message);
      expect(ran.stderr, command).not.to.equal('');
    }
    const config = await place.run('config --json', { env: { COUNTERFOIL_SECRET: 'much too short' } });
    expect(config.code).to.equal(2);
    expect(JSON.parse(config.stdout), 'one document').to.have.property('data');
  });

  it('advice names commands as they were typed, with npx where npm started the program', async () => {
    const told = async (npm: object): Promise<string> => (await place.run('keys list', { env: { ...npm } })).stderr;
    expect(await told({})).to.contain('yet. `counterfoil serve` creates one.');
    expect(await told({ npm_command: 'exec' })).to.contain('yet. `npx counterfoil serve` creates one.');
    const help = await place.run('keys revoke --help', { env: { npm_command: 'exec' } });
    expect(help.stdout).to.contain('  $ npx counterfoil keys revoke');
  });

  it('help is an answer, and a mistake is not', async () => {
    const help = await place.run('keys revoke --help');
    expect(help)
      .to.include({ code: 0, stderr: '' })
      .and.to.have.property('stdout')
      .that.contains('$ counterfoil keys revoke');
    expect(await place.run('kees list')).to.include({ code: 2, stdout: '' });
    expect(await place.run('')).to.include({ code: 2, stdout: '' });
  });

  it('version and config print the version and the settings', async () => {
    expect(await place.json('version'))
      .to.have.property('version')
      .that.matches(/^\d+\.\d+\.\d+$/);
    const settings = dataOf(await place.json('config --port 8080'));
    expect(settings).to.deep.include({ name: 'port', variable: 'COUNTERFOIL_PORT', value: '8080', origin: 'flag' });
    const { code, stdout } = await place.run('config', { env: { COUNTERFOIL_SECRET: 'much too short' } });
    expect(code).to.equal(2);
    expect(stdout).not.to.contain('much too short');
  });

  it('a broken store is unavailable: 3', async () => {
    writeFileSync(
      join(place.dir, 'events.db'),
      'this is not a database, but it is long enough to be taken for the header of one',
    );
    const { code, stdout } = await place.run('audit streams --event-store sqlite:events.db');
    expect({ code, stdout }).to.deep.equal({ code: 3, stdout: '' });
  });
});
