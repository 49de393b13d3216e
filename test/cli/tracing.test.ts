// `serve` with a tracer provider that was registered before it: NODE_OPTIONS alone switches spans on.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { z } from 'zod';
import { ROOT } from '../support/root.ts';
import { compiledMain } from './built.ts';
import { createSession, firstKeyIn, Place } from './processes.ts';

const PRELOAD = pathToFileURL(join(ROOT, 'test/cli/preloaded-provider.mjs')).href;
const Line = z.object({ name: z.string(), attributes: z.record(z.string(), z.unknown()) });

describe('serve with a tracer provider', () => {
  const place = new Place(compiledMain());
  after(() => place.remove());

  for (const workers of ['1', '2'])
    it(`exports all of its work, to the end: workers ${workers}`, async () => {
      const file = join(place.dir, `spans-${workers}`);
      const env = { NODE_OPTIONS: `--import=${PRELOAD}`, SPANS: file };
      const serving = await place.serve(`--data-dir data-${workers} --workers ${workers}`, env);
      expect(await createSession(serving.url, firstKeyIn(serving.stdout()))).to.equal(200);
      expect(await serving.end('SIGTERM')).to.include({ code: 0 });
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      const spans = lines.map((line) => Line.parse(JSON.parse(line)));
      const request = spans.find(({ name }) => name === 'POST /client-session');
      expect(request?.attributes).to.include({ 'http.route': '/client-session', 'http.response.status_code': 200 });
      expect(spans.map(({ name }) => name)).to.include.members(['transact clientSession', 'append clientSession']);
    });

  it('is for services: a command records no span', async () => {
    const file = join(place.dir, 'spans-of-a-command');
    const { code } = await place.run('keys create --name other --scopes all --data-dir data-1', {
      env: { NODE_OPTIONS: `--import=${PRELOAD}`, SPANS: file },
    });
    expect([code, existsSync(file)]).to.deep.equal([0, false]);
  });
});
