// Walks over the log for the page Proof take turns by account: one account's do not keep the others from theirs.
import { expect } from 'chai';
import { proofRoutes } from '../../../src/http/routes/administration/proof.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { merchant } from '../../support/node.ts';

describe('walks over the log for the page Proof', () => {
  it('wait for their turn, which the accounts take one after another, and the most frequent asker is refused', async () => {
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let running = 0;
    const nothing = async (): Promise<never> => {
      throw new Error('not asked');
    };
    const compare = async () => {
      running += 1;
      expect(running).to.equal(1);
      await begun;
      running -= 1;
      return { events: 1, held: 1, failed: 0, ofOtherKeys: 0 };
    };
    const audit = { compare, prove: nothing, publicKeys: nothing, checkpointEveryMs: undefined };
    const [route] = proofRoutes({
      audit,
      queries: { listCheckpoints: nothing, readPayment: nothing, readAgreement: nothing },
      world: calmWorld,
    }).filter(({ path }) => path.endsWith('/comparison'));
    const ended: string[] = [];
    const ask = async (accountId: string, name: string): Promise<void> => {
      const call = { caller: merchant(accountId), user: undefined, ifMatch: undefined, headers: {}, text: '' } as const;
      const answer = await route?.run({ params: {}, query: {}, body: undefined }, [], call);
      if (answer?.kind !== 'streamed') throw new Error('not streamed');
      let last = '';
      for await (const piece of answer.pieces) last = piece;
      ended.push(last.includes('"refused"') ? `${name} refused` : name);
    };
    const greedy = Array.from({ length: 10 }, (_, place) => ask('acc_2', `greedy ${place}`));
    await new Promise((resume) => setImmediate(resume));
    const modest = [ask('acc_1', 'first'), ask('acc_1', 'second')];
    await new Promise((resume) => setImmediate(resume));
    begin();
    await Promise.all([...greedy, ...modest]);
    const done = ended.filter((name) => !name.endsWith('refused'));
    expect([done.slice(0, 4), done.length]).to.deep.equal([['greedy 0', 'first', 'greedy 1', 'second'], 9]);
  });
});
