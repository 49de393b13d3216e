// The tests of the Python client in its own language, test_counterfoil.py, as one test of this suite.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/root.ts';
import { pythonLacks } from './drivers.ts';

describe('the client in Python, by its own tests,', () => {
  const lacks = pythonLacks();
  before(function () {
    if (lacks === undefined) return;
    console.log(`      The Python client is not tested: ${lacks}.`);
    this.skip();
  });

  it('passes: arguments, calls without a response, fields of responses, signed webhooks', () => {
    const { status, stderr } = spawnSync('python3', [join(ROOT, 'test/client/test_counterfoil.py')], {
      encoding: 'utf8',
      env: { ...process.env, PYTHONPATH: join(ROOT, 'client-python'), PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(status, stderr).to.equal(0);
    expect(stderr).to.match(/^Ran \d{2,} tests/m);
  });
});
