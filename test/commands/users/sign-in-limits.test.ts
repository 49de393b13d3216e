// The counters of failed sign-ins: who keeps whom out, and for how long.
import { expect } from 'chai';
import { FAILURES, SignInLimits, WINDOW_MS } from '../../../src/commands/users/sign-in-limits.ts';

const ADA = 'ada@example.org';
const HOME = '192.0.2.1';

describe('limits on sign-ins', () => {
  const failing = async (
    limits: SignInLimits,
    times: number,
    tried: { email: string; address: string },
  ): Promise<readonly string[]> => {
    const kinds: string[] = [];
    for (let tries = 0; tries < times; tries += 1) kinds.push((await limits.begin(tried)).kind);
    return kinds;
  };

  it('keep a stranger’s failures apart from another address, until there are very many of them', async () => {
    const limits = new SignInLimits(true);
    const fromEverywhere = FAILURES.email / FAILURES.emailAtAddress;
    for (let one = 0; one < fromEverywhere; one += 1) {
      expect(await limits.begin({ email: ADA, address: HOME })).to.deep.equal({ kind: 'admitted', last: undefined });
      await limits.undo({ email: ADA, address: HOME });
      const kinds = await failing(limits, FAILURES.emailAtAddress, { email: ADA, address: `198.51.100.${one}` });
      expect(new Set(kinds)).to.deep.equal(new Set(['admitted']));
      expect(await limits.begin({ email: ADA, address: `198.51.100.${one}` })).to.include({ kind: 'blocked' });
    }
    const blocked = await limits.begin({ email: ADA, address: HOME });
    expect(blocked).to.have.property('kind', 'blocked');
    expect(blocked)
      .to.have.property('retryAfterSeconds')
      .that.is.within(1, WINDOW_MS / 1_000);
  });

  it('say which failure is the last before a block', async () => {
    const limits = new SignInLimits(true);
    await failing(limits, FAILURES.emailAtAddress - 1, { email: ADA, address: HOME });
    const last = await limits.begin({ email: ADA, address: HOME });
    expect(last).to.have.nested.property('last.failures', FAILURES.emailAtAddress);
    expect(last).to.have.nested.property('last.forMs').that.is.within(1, WINDOW_MS);
  });

  it('count no try that was refused: an office is not kept out because one of it has forgotten a password', async () => {
    const limits = new SignInLimits(true);
    await failing(limits, FAILURES.address + FAILURES.emailAtAddress, { email: ADA, address: HOME });
    expect(await limits.begin({ email: 'bob@example.org', address: HOME })).to.deep.equal({
      kind: 'admitted',
      last: undefined,
    });
  });

  it('count an address over all its e-mails, even if all are tried at once', async () => {
    const limits = new SignInLimits(true);
    const tries = Array.from({ length: FAILURES.address + 5 }, (_, one) =>
      limits.begin({ email: `${one}@example.org`, address: HOME }),
    );
    const kinds = (await Promise.all(tries)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'blocked')).to.have.length(5);
  });

  it('count no right password, and keep what failed before it: that may have been for another user of the e-mail', async () => {
    const limits = new SignInLimits(true);
    const tried = { email: ADA, address: HOME };
    await failing(limits, FAILURES.emailAtAddress - 1, tried);
    for (let tries = 0; tries < FAILURES.address; tries += 1) {
      expect(await limits.begin(tried)).to.include({ kind: 'admitted' });
      await limits.passed(tried, { isNews: false });
    }
    expect(await failing(limits, 2, tried)).to.deep.equal(['admitted', 'blocked']);
  });

  it('count a password that is used for the first time, for the e-mail and for the address, and no more once it was used', async () => {
    const limits = new SignInLimits(true);
    const passing = async (email: string, isNews = true, address = HOME): Promise<string> => {
      const { kind } = await limits.begin({ email, address });
      if (kind === 'admitted') await limits.passed({ email, address }, { isNews });
      return kind;
    };
    for (let tries = 0; tries < FAILURES.emailAtAddress; tries += 1) expect(await passing(ADA)).to.equal('admitted');
    expect(await passing(ADA)).to.equal('blocked');
    const office = '192.0.2.200';
    for (let one = 0; one < FAILURES.address; one += 1) {
      expect(await passing(`${one}@example.org`, true, office)).to.equal('admitted');
      if (one < FAILURES.address - 1) expect(await passing(`${one}@example.org`, false, office)).to.equal('admitted');
    }
    expect(await passing('another@example.org', true, office)).to.equal('blocked');
    expect(await passing('another@example.org')).to.equal('admitted');
  });
});
