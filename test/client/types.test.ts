// The client's types: they are those of the description, and name every error.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { KnownErrorId } from '../../src/client/types.ts';
import { STATUS } from '../../src/http/errors.ts';
import { serveHttp } from '../support/http-service.ts';
import { ROOT } from '../support/root.ts';
import { TYPES_FILE, typesOf } from './generate-types.ts';

describe('the generated types of the client', () => {
  it('are those of the description: else run `npm run generate`', async () => {
    const http = await serveHttp({ sandboxInMemory: true });
    try {
      const document: unknown = await (await fetch(`http://127.0.0.1:${http.port}/openapi.json`)).json();
      expect(readFileSync(join(ROOT, TYPES_FILE), 'utf8') === (await typesOf(document))).to.equal(true);
    } finally {
      await http.stop();
    }
  });

  it('name every errorId', () => {
    const named: { readonly [Id in KnownErrorId]: number } = STATUS;
    expect(Object.keys(named)).not.to.deep.equal([]);
  });
});
