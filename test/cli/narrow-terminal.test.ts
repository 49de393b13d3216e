// Commands on a terminal of 80 columns: a line for each row, ids by their beginning, which every command takes, and
// states in colour.
import { expect } from 'chai';
import { z } from 'zod';
import { Place } from './processes.ts';

const Paid = z.looseObject({ paymentId: z.string() });
const Listed = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

const AS_TERMINAL = `import tty from 'node:tty';
const { getColorDepth } = tty.WriteStream.prototype;
for (const stream of [process.stdout, process.stderr])
  Object.assign(stream, { isTTY: true, columns: 80, getColorDepth });`;
/** The output still goes to a pipe, which the test reads. */
const TERMINAL = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(AS_TERMINAL)}`,
  TERM: 'xterm-256color',
};
const DIGITS = 12;
/** The keys of a list without their last uses: a use is recorded up to a minute after it. */
const withoutUses = ({ data }: z.output<typeof Listed>) => data.map((key) => ({ ...key, lastUsedAt: undefined }));

describe('a terminal of 80 columns', () => {
  const place = new Place();
  const ids: string[] = [];
  before(async function prepare() {
    await place.serve('--log-level error');
    for (let payments = 0; payments < 2; payments += 1) ids.push(Paid.parse(await place.json('demo')).paymentId);
    await place.json('keys create --name Reports --scopes transactions:retrieve');
    await place.json('users add --email ada@example.org --role support');
  });
  after(() => place.remove());

  const onTerminal = async (
    command: string,
    env: { readonly NO_COLOR?: string } = { NO_COLOR: '1' },
  ): Promise<string> => {
    const { code, stdout, stderr } = await place.run(command, { env: { ...TERMINAL, ...env } });
    expect(code, `${command}: ${stderr}`).to.equal(0);
    return stdout;
  };

  it('has one line for each row of a list with ids, which are whole in a pipe', async () => {
    for (const command of ['payments list', 'keys list', 'users list', 'accounts list']) {
      const { data } = Listed.parse(await place.json(command));
      const lines = (await onTerminal(command)).trimEnd().split('\n').slice(1);
      const short = data.map(({ id }) => id.slice(0, id.indexOf('_') + 1 + DIGITS));
      const begins = lines.filter((line) => !line.startsWith(' ')).map((line) => line.split(' ')[0]);
      expect(begins, command).to.deep.equal(command === 'accounts list' ? data.map(({ id }) => id) : short);
      for (const line of lines) expect(line.length, `${command}: ${line}`).to.be.at.most(80);
      const piped = await place.run(command);
      for (const { id } of data) expect(piped.stdout, command).to.contain(id);
    }
    expect((await onTerminal('payments list')).trimEnd().split('\n')).to.have.lengthOf(1 + ids.length);
  });

  it('takes the beginning of an id in place of it, and that of a stream', async () => {
    const [id = ''] = ids;
    const short = id.slice(0, 'pay_'.length + DIGITS);
    expect(await place.json(`payments show ${short}`)).to.include({ id });
    expect((await place.run(`audit replay ${short}`)).stdout).to.match(new RegExp(`^payment-${id} at revision`));
    const { data } = Listed.parse(await place.json('accounts list'));
    const account = data[0]?.id.slice(0, 'acc_'.length + DIGITS);
    expect(Listed.parse(await place.json(`payments list --account ${account}`)).data).to.have.lengthOf(2);
  });

  it('lists the candidates of a beginning that several ids have, and changes nothing: 2', async () => {
    const keys = Listed.parse(await place.json('keys list'));
    const beginning = keys.data[0]?.id.slice(0, 'key_'.length + 4);
    const { code, stderr } = await place.run(`keys revoke ${beginning}`);
    expect(code).to.equal(2);
    expect(stderr).to.match(/^Several ids begin with key_\w{4}:\n( {2}key_\w+\n){2,5}( {2}and others\n)?$/);
    expect(withoutUses(Listed.parse(await place.json('keys list')))).to.deep.equal(withoutUses(keys));
    expect(await place.run('payments show pay_ffff')).to.include({
      code: 1,
      stderr: 'There is no payment pay_ffff.\n',
    });
  });

  it('cuts no word of a sentence, of a mistake, or of an advice', async () => {
    const mistakes = [
      'trigger PAYMENT.NOTHING',
      'payments list --status PAID',
      'keys create --scopes nothing',
      'webhooks resend',
    ];
    for (const command of mistakes) {
      const { stderr } = await place.run(command, { env: { ...TERMINAL, NO_COLOR: '1' } });
      const piped = await place.run(command);
      expect(stderr.replaceAll(/\s+/g, ' '), command).to.equal(piped.stderr.replaceAll(/\s+/g, ' '));
      for (const line of stderr.split('\n')) expect(line.length, line).to.be.at.most(80);
    }
  });

  it('has one line for each delivery, with its order and URL, and one for each endpoint', async () => {
    const url = `http://127.0.0.1:9/${'path'.repeat(20)}/hooks`;
    await place.json(`webhooks endpoints add --url ${url}`);
    await place.json('demo');
    const orderId = z.looseObject({ orderId: z.string() });
    const [order = ''] = z
      .looseObject({ data: z.array(orderId) })
      .parse(await place.json('payments list --limit 1'))
      .data.map((payment) => payment.orderId);
    const rowsOf = async (command: string): Promise<readonly string[]> =>
      (await onTerminal(command)).trimEnd().split('\n');
    const [heading, ...rows] = await rowsOf('webhooks deliveries');
    expect(heading).to.match(/^QUEUED +TYPE +STATUS +RESPONSE +ORDER +URL$/);
    expect(rows).to.have.lengthOf(Listed.parse(await place.json('webhooks deliveries')).data.length);
    for (const row of rows)
      expect(row)
        .to.contain(order)
        .and.to.match(/ …\S*\/hooks$/);
    const endpoints = await rowsOf('webhooks endpoints list');
    expect(endpoints).to.have.lengthOf(2);
    expect(endpoints[0]).to.match(/^ID +STATE +RESPONSE +BACKLOG +FAILED +LAST HOUR +URL$/);
    for (const line of [...rows, ...endpoints]) expect(line.length, line).to.be.at.most(80);
    const piped = await place.run('webhooks deliveries', { env: { COLUMNS: '' } });
    expect(piped.stdout)
      .to.contain(url)
      .and.to.match(/we_\w{32}\.pay_\w{32}\.\d/);
  });

  it('shows states in colour, unless NO_COLOR is set, and in a pipe only with FORCE_COLOR', async () => {
    const green = '\u001b[32mSETTLED\u001b[39m';
    expect(await onTerminal('payments list', {})).to.contain(green);
    expect(await onTerminal('payments list')).not.to.contain('\u001b');
    expect((await place.run('payments list')).stdout).not.to.contain('\u001b');
    expect((await place.run('payments list', { env: { FORCE_COLOR: '1' } })).stdout).to.contain(green);
  });
});
