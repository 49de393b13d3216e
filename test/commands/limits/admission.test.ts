// Admission to expensive work: whose turn it is, whom a full queue refuses, and whom nobody waits for (SECURITY.md,
// "Protected").
import { expect } from 'chai';
import { NotAdmitted, type TurnAsker, type TurnLimits, Turns } from '../../../src/commands/limits/admission.ts';

const LIMITS = { atOnce: 2, strangersAtOnce: 1, repeatedAtOnce: 1, waiting: 4 };
const stranger = (network: string): TurnAsker => ({ lane: 'stranger', network });
const known: TurnAsker = { lane: 'known', network: '' };

/** Works that end when they are told to, and the order in which they began. */
function bench(admission: Pick<Turns, 'run'>) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (name: string, asker: TurnAsker): Promise<string> =>
    admission
      .run(asker, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return 'done';
      })
      .catch((fault: unknown) => (fault instanceof NotAdmitted ? fault.message : Promise.reject(fault)));
  /** Ends the work that runs longest. */
  const endOne = async (): Promise<void> => {
    await settled();
    ends.shift()?.();
    await settled();
  };
  return { begun, ask, endOne };
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('admission to expensive work', () => {
  it('leaves a turn to people who are known, and takes them first', async () => {
    const { begun, ask, endOne } = bench(new Turns(LIMITS));
    for (const name of ['s1', 's2', 's3']) void ask(name, stranger(name));
    for (const name of ['k1', 'k2', 'k3']) void ask(name, known);
    await settled();
    expect(begun).to.deep.equal(['s1', 'k1']);
    await endOne();
    expect(begun).to.deep.equal(['s1', 'k1', 'k2']);
    for (let at = 0; at < 5; at += 1) await endOne();
    expect(begun).to.deep.equal(['s1', 'k1', 'k2', 'k3', 's2', 's3']);
  });

  it('takes the network first that was served least, and the first come of it', async () => {
    const { begun, ask, endOne } = bench(new Turns(LIMITS));
    for (const name of ['a1', 'a2', 'a3', 'b1']) void ask(name, stranger(name.slice(0, 1)));
    for (let at = 0; at < 4; at += 1) await endOne();
    expect(begun).to.deep.equal(['a1', 'b1', 'a2', 'a3']);
  });

  it('takes a network that was served often last, and in its turn where newcomers begin at the present', async () => {
    const order = async (limits: TurnLimits): Promise<readonly string[]> => {
      const { begun, ask, endOne } = bench(new Turns(limits));
      for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) {
        void ask(name, stranger(name.slice(0, 1)));
        await endOne();
      }
      for (const name of ['c1', 'a5', 'a6', 'b2', 'b3']) void ask(name, stranger(name.slice(0, 1)));
      for (let at = 0; at < 5; at += 1) await endOne();
      return begun.slice(5);
    };
    expect(await order(LIMITS)).to.deep.equal(['c1', 'b2', 'b3', 'a5', 'a6']);
    expect(await order({ ...LIMITS, fromNow: true })).to.deep.equal(['c1', 'a5', 'b2', 'a6', 'b3']);
  });

  it('takes a network from which the right password came as one that is new', async () => {
    const admission = new Turns(LIMITS);
    const { begun, ask, endOne } = bench(admission);
    for (const name of ['a1', 'a2']) {
      void ask(name, stranger('a'));
      await endOne();
    }
    for (const name of ['b1', 'b2', 'a3']) void ask(name, stranger(name.slice(0, 1)));
    admission.forgive('a');
    for (let at = 0; at < 3; at += 1) await endOne();
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  it('has a turn for a network that comes for the first time, beside those that come again', async () => {
    const { begun, ask, endOne } = bench(new Turns({ atOnce: 3, strangersAtOnce: 2, repeatedAtOnce: 1, waiting: 4 }));
    void ask('a1', stranger('a'));
    await endOne();
    for (const name of ['a2', 'a3', 'b1', 'c1']) void ask(name, stranger(name.slice(0, 1)));
    await settled();
    expect(begun).to.deep.equal(['a1', 'a2', 'b1']);
    void ask('k1', known);
    await settled();
    expect(begun.slice(3)).to.deep.equal(['k1']);
  });

  it('refuses in a full queue the last of the greediest network, and no one who comes from another', async () => {
    const admission = new Turns(LIMITS);
    const { begun, ask, endOne } = bench(admission);
    const greedy = ['g1', 'g2', 'g3', 'g4', 'g5', 'g6'].map((name) => ask(name, stranger('g')));
    expect(await greedy[5]).to.equal('Too many requests of this kind are waiting.');
    const other = ask('o', stranger('o'));
    expect(await greedy[4]).to.equal('Too many requests of this kind are waiting.');
    expect(admission.waiting).to.equal(4);
    await endOne();
    expect(begun).to.deep.equal(['g1', 'o']);
    await endOne();
    expect(await other).to.equal('done');
  });

  it('does no work for a caller who is gone', async () => {
    const admission = new Turns(LIMITS);
    const { begun, ask, endOne } = bench(admission);
    const gone = new AbortController();
    void ask('s1', stranger('a'));
    const waiting = ask('s2', { ...stranger('b'), signal: gone.signal });
    gone.abort();
    expect(await waiting).to.equal('The caller has disconnected.');
    expect(await ask('s3', { ...stranger('c'), signal: gone.signal })).to.equal('The caller has disconnected.');
    void ask('s4', stranger('d'));
    await endOne();
    expect(begun).to.deep.equal(['s1', 's4']);
    expect(admission.waiting).to.equal(0);
  });

  it('goes on after work that fails', async () => {
    const admission = new Turns(LIMITS);
    const failed = await admission
      .run(known, () => Promise.reject(new Error('no memory')))
      .catch(({ message }: Error) => message);
    expect(failed).to.equal('no memory');
    expect(await admission.run(known, async () => 'done')).to.equal('done');
  });
});

describe('an owner among a hundred strangers', () => {
  const NETWORKS = 38;
  /** Works that end before the owner's begins, where each stranger has been served once and waits again. */
  async function worksBefore(admission: Pick<Turns, 'run'>): Promise<number> {
    const { begun, ask, endOne } = bench(admission);
    for (let at = 0; at < 100; at += 1) void ask(`s${at}`, stranger(`network ${at % NETWORKS}`));
    for (let at = 0; at < NETWORKS; at += 1) await endOne();
    for (let at = 0; at < NETWORKS; at += 1) void ask(`again ${at}`, stranger(`network ${at}`));
    await settled();
    const before = begun.length;
    void ask('owner', stranger('of the owner'));
    while (!begun.includes('owner')) await endOne();
    return begun.length - 1 - before;
  }

  it('is next, and is not with a queue of first come, first served', async () => {
    const limits = { ...LIMITS, waiting: 100 };
    expect(await worksBefore(new Turns(limits))).to.equal(0);
    const one = new Turns(limits);
    const firstCome = {
      run: <Done>(asker: TurnAsker, work: () => Promise<Done>) => one.run({ ...asker, network: 'the same' }, work),
    };
    expect(await worksBefore(firstCome)).to.be.above(50);
  });
});
