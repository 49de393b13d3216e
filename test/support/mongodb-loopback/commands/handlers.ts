// The handlers of all commands.

import { encode, hexOf, isRecord } from '../bson/elements.ts';
import * as administration from './administration.ts';
import type { Handler } from './command.ts';
import { CommandError } from './command-error.ts';
import * as reads from './reads.ts';
import { update } from './updates.ts';
import * as writes from './writes.ts';

const ok: Handler = () => encode({ ok: 1 });

const endSessions: Handler = ({ body }, store) => {
  const ended: readonly unknown[] = Array.isArray(body['endSessions']) ? body['endSessions'] : [];
  for (const session of ended) if (isRecord(session)) store.sessions.end(hexOf(session['id']));
  return encode({ ok: 1 });
};

/** The server has no users, so it refuses authentication. */
const saslStart: Handler = () => {
  throw new CommandError(18, 'AuthenticationFailed', 'Authentication failed.');
};

const buildInfo: Handler = () =>
  encode({
    version: '6.0.0',
    versionArray: [6, 0, 0, 0],
    bits: 64,
    maxBsonObjectSize: 16 * 1024 * 1024,
    modules: [],
    ok: 1,
  });

/** By the command's name. The connection answers hello itself. */
export const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['ping', ok],
  ['buildInfo', buildInfo],
  ['buildinfo', buildInfo],
  ['endSessions', endSessions],
  ['saslStart', saslStart],
  ['find', reads.find],
  ['getMore', reads.getMore],
  ['killCursors', reads.killCursors],
  ['count', reads.count],
  ['aggregate', reads.aggregate],
  ['distinct', reads.distinct],
  ['insert', writes.insert],
  ['update', update],
  ['delete', writes.deletion],
  ['create', administration.create],
  ['drop', administration.drop],
  ['dropDatabase', administration.dropDatabase],
  ['createIndexes', administration.createIndexes],
  ['listIndexes', administration.listIndexes],
  ['dropIndexes', administration.dropIndexes],
  ['listCollections', administration.listCollections],
  ['listDatabases', administration.listDatabases],
]);
