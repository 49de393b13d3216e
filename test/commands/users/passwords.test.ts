// Hashes of passwords: alike for all users of an e-mail, so that one is compared with each, and different on record.
import { expect } from 'chai';
import { Turns } from '../../../src/commands/limits/admission.ts';
import { Passwords } from '../../../src/commands/users/passwords.ts';
import { StoreKey } from '../../../src/secrets.ts';
import { calmWorld } from '../../support/calm-world.ts';

const PASSWORD = 'a password';

describe('passwords', () => {
  const opened = (key = 3) => new Passwords(new StoreKey(Buffer.alloc(32, key)), calmWorld);

  it('of an e-mail are compared by one hash, and two equal ones have different texts', async () => {
    const passwords = opened();
    const recipe = passwords.recipeFor('ada@example.org');
    expect(recipe).to.equal(passwords.recipeFor(' Ada@Example.org'));
    const [one, same, other] = [
      await passwords.hash(PASSWORD, recipe),
      await passwords.hash(PASSWORD, recipe),
      await passwords.hash('b', recipe),
    ];
    expect(one).not.to.equal(same);
    expect([...(await passwords.matching(PASSWORD, recipe, async () => [one, same, other]))]).to.deep.equal([
      one,
      same,
    ]);
    expect(passwords.verified).to.equal(1);
    expect([...(await passwords.matching(PASSWORD, recipe, async () => []))]).to.deep.equal([]);
    expect(passwords.verified).to.equal(2);
  });

  it('of two e-mails have two salts, and are of no use without the store key', async () => {
    const passwords = opened();
    const recipe = passwords.recipeFor('ada@example.org');
    expect(passwords.recipeFor('bob@example.org')).not.to.equal(recipe);
    const recorded = await passwords.hash(PASSWORD, recipe);
    expect([...(await opened(4).matching(PASSWORD, recipe, async () => [recorded]))]).to.deep.equal([]);
  });

  it('are read while the hash is made, each in its turn, and a fault of the read is told', async () => {
    const turns = new Turns({ atOnce: 1, strangersAtOnce: 1, repeatedAtOnce: 1, waiting: 1 });
    const passwords = new Passwords(new StoreKey(Buffer.alloc(32, 3)), calmWorld, turns);
    const recipe = passwords.recipeFor('ada@example.org');
    const verifiedAt: number[] = [];
    const reading = async (): Promise<readonly string[]> => {
      verifiedAt.push(passwords.verified);
      throw new Error('the store is unavailable');
    };
    const both = await Promise.allSettled([
      passwords.matching(PASSWORD, recipe, reading),
      passwords.matching(PASSWORD, recipe, reading),
    ]);
    expect(both.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(verifiedAt).to.deep.equal([1, 2]);
  });

  it('cannot end the process where the native hash fails before the read is over', async () => {
    const passwords = opened();
    const tooShortASalt = '$argon2id$v=19$m=8,t=1,p=1$AAAA';
    const unhandled: unknown[] = [];
    const listeners = process.rawListeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', (fault) => unhandled.push(fault));
    const readLate = async (): Promise<readonly string[]> => {
      await passwords.hash(PASSWORD, passwords.recipeFor('bob@example.org')); // far longer than the other takes to fail
      return [];
    };
    try {
      const failed = await passwords.matching(PASSWORD, tooShortASalt, readLate).catch((fault: unknown) => fault);
      expect(failed).to.be.instanceOf(Error);
      expect(String(failed)).to.match(/salt/i);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const listener of listeners) process.on('unhandledRejection', listener as NodeJS.UnhandledRejectionListener);
    }
    expect(unhandled.map(String)).to.deep.equal([]);
  });

  it('that were hashed in an unknown way are a fault, and no wrong password', async () => {
    const failed = await opened()
      .matching(PASSWORD, '$argon2x$v=1$m=1$salt', async () => [])
      .catch((fault: Error) => fault.message);
    expect(failed).to.equal('a password was hashed in a way that this version does not know');
  });
});
