// The contexts of work without a request: who does it, and what began it.
import { expect } from 'chai';
import { operatorContext, policyContext } from '../../src/journal/contexts.ts';
import { calmWorld } from '../support/calm-world.ts';

const world = { ...calmWorld, now: () => 77 };

describe('the context of work without a request', () => {
  it('is an operator’s at the command line, whose own operation began it all', () => {
    const context = operatorContext(world, 'acc');
    expect(context).to.deep.include({ accountId: 'acc', actor: { kind: 'operator', id: 'cli' }, at: 77 });
    expect(context.correlationId).to.equal(context.operationId);
    expect(context).not.to.have.property('causationId');
  });

  it('is a user’s in the dashboard, whose request began it', () => {
    const actor = { kind: 'user' as const, id: 'usr_1' };
    const context = operatorContext(world, 'acc', { actor, requestId: 'req-1' });
    expect(context).to.deep.include({ actor, correlationId: 'req-1' });
  });

  it('is a policy’s, with the event because of which it fell due', () => {
    const cause = { correlationId: 'req-1', causationId: 'event-1' };
    expect(policyContext(world, 'expiry', 'acc', cause)).to.deep.include({
      ...cause,
      actor: { kind: 'policy', id: 'expiry' },
    });
  });
});
