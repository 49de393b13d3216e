// Hashes of passwords: what fails once is tried again.
import { expect } from 'chai';
import { Passwords } from '../../../src/commands/users/passwords.ts';
import { StoreKey } from '../../../src/secrets.ts';
import { calmWorld } from '../../support/calm-world.ts';

describe('passwords', () => {
  it('are verified for unknown e-mails again after the hash in their place could not be made', async () => {
    let calls = 0;
    const world = {
      randomBytes(count: number) {
        calls += 1;
        if (calls === 2) throw new Error('no randomness'); // the salt
        return calmWorld.randomBytes(count);
      },
    };
    const passwords = new Passwords(new StoreKey(Buffer.alloc(32, 3)), world);
    const failed = await passwords.verify(undefined, 'a password').then(
      () => 'verified',
      (fault: Error) => fault.message,
    );
    expect(failed).to.equal('no randomness');
    expect(await passwords.verify(undefined, 'a password')).to.equal(false);
    const hash = await passwords.hash('a password');
    expect(await passwords.verify(hash, 'a password')).to.equal(true);
  });
});
