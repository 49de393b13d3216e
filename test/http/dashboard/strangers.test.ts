// A hundred strangers who try passwords at once, over real sockets: the owner's sign-in still takes at most three times as long (SECURITY.md).
import { expect } from 'chai';
import { type Dashboard, openDashboard, PASSWORD } from '../../support/dashboard.ts';

const STRANGERS = 100;
const TRIES = 9;
const ROUNDS = 5;
const MOST = 3;
const PATH = '/dashboard/api/sign-in';

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

describe('the sign-in among strangers', function amongStrangers() {
  this.timeout(120_000);
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard({ flags: { trustedProxies: '127.0.0.0/8' } });
  });
  after(() => dashboard.close());

  // The strangers share this process with the service, so that they slow it down more than strangers elsewhere: one round of several is enough.
  const signIn = (address: string, email: string, password: string, signal?: AbortSignal) =>
    fetch(`${dashboard.url}${PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrf': '1', 'x-forwarded-for': address },
      body: JSON.stringify({ email, password }),
      ...(signal !== undefined && { signal }),
    });

  /** The median time of the owner's right sign-in, ms. */
  async function timeOfOwner(): Promise<number> {
    const took: number[] = [];
    for (let at = 0; at < TRIES; at += 1) {
      const startedAt = performance.now();
      const answer = await signIn('198.51.100.7', dashboard.emailOf('owner'), PASSWORD);
      expect(answer.status, await answer.text()).to.equal(200);
      took.push(performance.now() - startedAt);
    }
    return median(took);
  }

  /** From the /64s of one provider's customer, and from other networks; a refused one comes again when it was told to. */
  async function stranger(number: number, until: AbortSignal, answers: Map<number, number>): Promise<void> {
    const address = number % 2 === 0 ? `2001:db8:0:${(number % 38).toString(16)}::1` : `203.0.${number % 20}.1`;
    while (!until.aborted) {
      const status = await signIn(address, dashboard.emailOf('owner'), `wrong password ${number}`, until).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        },
        () => 0,
      );
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status === 503) await new Promise((resolve) => setTimeout(resolve, 1_000 + 10 * number));
    }
  }

  it('takes the owner at most three times as long as alone, and the rest are refused with a time to try again', async () => {
    await timeOfOwner();
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS && (round === 0 || Math.min(...ratios) > MOST); round += 1) {
      const quiet = await timeOfOwner();
      const ending = new AbortController();
      const answers = new Map<number, number>();
      const strangers = Array.from({ length: STRANGERS }, (_, at) => stranger(at, ending.signal, answers));
      while ((answers.get(503) ?? 0) === 0 || (answers.get(401) ?? 0) < 15) await new Promise((resolve) => setTimeout(resolve, 20));
      ratios.push((await timeOfOwner()) / quiet);
      ending.abort();
      await Promise.all(strangers);
      expect([...answers.keys()].filter((status) => status !== 0).toSorted()).to.deep.equal([401, 503]);
    }
    expect(Math.min(...ratios), `ratios ${ratios.map((one) => one.toFixed(2)).join(', ')}`).to.be.at.most(MOST);
  });

  it('hashes nothing for strangers who are gone', async () => {
    const { users } = dashboard.service;
    const ending = new AbortController();
    const all = Array.from({ length: 60 }, (_, at) =>
      signIn(`203.0.113.${at}`, 'nobody@example.org', 'wrong password', ending.signal).catch(() => undefined),
    );
    const before = users.passwordsVerified();
    while (users.passwordsVerified() < before + 3) await new Promise((resolve) => setTimeout(resolve, 2));
    ending.abort();
    await Promise.all(all);
    const answer = await signIn('198.51.100.7', dashboard.emailOf('owner'), PASSWORD);
    expect(answer.status).to.equal(200);
    expect(users.passwordsVerified() - before).to.be.below(30);
  });
});
