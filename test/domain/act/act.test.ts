// An act on the service itself: on record once, whatever it asks for.
import { expect } from 'chai';
import { type ActEvent, act, requestAct } from '../../../src/domain/act.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(act);
const rebuild: ActEvent = { type: 'RebuildRequested', data: { projection: 'payments', dryRun: false } };

describe('an act on the service', () => {
  it('is put on record, and says what was asked for', () => {
    const decided = given().when(requestAct(rebuild));
    decided.then(rebuild);
    expect(decided.state).to.include({ status: 'requested', request: 'RebuildRequested' });
  });

  it('is put on record once', () => {
    given(rebuild).when(requestAct(rebuild)).thenNothing();
  });
});
