// Assembles answers with documents from the documents' bytes.
import type { Batch } from '../storage/cursors.ts';

const OK = Buffer.from([1, ...Buffer.from('ok\0'), 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
/** The size of an array element's start: type byte, digits of its index, zero. */
const nameSize = (i: number): number => String(i).length + 2;

/** `{ cursor: { firstBatch | nextBatch, id, ns }, ok }` */
export function cursorReply(
  namespace: string,
  batchName: 'firstBatch' | 'nextBatch',
  { cursorId, docs }: Batch,
): Buffer {
  let array = 5;
  for (let i = 0; i < docs.length; i += 1) array += nameSize(i) + (docs[i]?.length ?? 0);
  const ns = Buffer.byteLength(namespace);
  const cursor = 4 + (1 + batchName.length + 1 + array) + (1 + 3 + 8) + (1 + 3 + 4 + ns + 1) + 1;
  const size = 4 + (1 + 7 + cursor) + OK.length + 1;
  const reply = Buffer.allocUnsafe(size);
  let at = reply.writeInt32LE(size, 0);
  at = reply.writeUInt8(3, at);
  at += reply.write('cursor\0', at, 'latin1');
  at = reply.writeInt32LE(cursor, at);
  at = reply.writeUInt8(4, at);
  at += reply.write(`${batchName}\0`, at, 'latin1');
  at = reply.writeInt32LE(array, at);
  for (let i = 0; i < docs.length; i += 1) {
    at = reply.writeUInt8(3, at);
    at += reply.write(`${i}\0`, at, 'latin1');
    at += docs[i]?.copy(reply, at) ?? 0;
  }
  at = reply.writeUInt8(0, at);
  at = reply.writeUInt8(18, at);
  at += reply.write('id\0', at, 'latin1');
  at = reply.writeBigInt64LE(BigInt(cursorId), at);
  at = reply.writeUInt8(2, at);
  at += reply.write('ns\0', at, 'latin1');
  at = reply.writeInt32LE(ns + 1, at);
  at += reply.write(`${namespace}\0`, at, 'utf8');
  at = reply.writeUInt8(0, at);
  at += OK.copy(reply, at);
  reply.writeUInt8(0, at);
  return reply;
}
