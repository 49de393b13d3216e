// A hundred strangers who try passwords at once, over real sockets: the owner's sign-in still takes at most three times
// as long (SECURITY.md).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { type Dashboard, openDashboard, PASSWORD } from '../../support/dashboard.ts';
import { nodeArguments, scriptBeside } from '../../support/script.ts';
import { until } from '../../support/until.ts';

const TRIES = 9;
const ROUNDS = 5;
const MOST = 3;
const PATH = '/dashboard/api/sign-in';

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

describe('the sign-in among strangers', function amongStrangers() {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard({ flags: { trustedProxies: '127.0.0.0/8' } });
  });
  after(() => dashboard.close());

  // Other work on the machine slows a round down: one of several is enough.
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

  /** A hundred strangers, in a process of their own; `answers` counts what they hear, by status. */
  function strangers(): { readonly answers: ReadonlyMap<string, number>; readonly end: () => Promise<void> } {
    const args = nodeArguments(
      scriptBeside('./strangers-child', import.meta.url),
      `${dashboard.url}${PATH}`,
      dashboard.emailOf('owner'),
    );
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const answers = new Map<string, number>();
    createInterface(child.stdout).on('line', (status) => answers.set(status, (answers.get(status) ?? 0) + 1));
    const ended = once(child, 'exit');
    return {
      answers,
      end: async () => {
        child.kill();
        await ended;
      },
    };
  }

  it('takes the owner at most three times as long as alone, and the rest are refused with a time to try again', async () => {
    await timeOfOwner();
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS && (round === 0 || Math.min(...ratios) > MOST); round += 1) {
      const quiet = await timeOfOwner();
      const { answers, end } = strangers();
      await until(() => (answers.get('503') ?? 0) > 0 && (answers.get('401') ?? 0) >= 15);
      ratios.push((await timeOfOwner()) / quiet);
      await end();
      expect([...answers.keys()].toSorted()).to.deep.equal(['401', '503']);
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
