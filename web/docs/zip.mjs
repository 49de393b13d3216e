// Writes a zip archive, the format of a Python wheel: files as they are, without compression, with one date for all, so
// that the same files are the same bytes.
import { crc32 } from 'node:zlib';

/** 1 January 1980, the first date that the format has. */
const DATE = 0x21;
/** A file that everybody reads and its owner writes, as Unix says it; and the version that says so. */
const MODE = 0o100644 * 0x1_0000;
const MADE_ON_UNIX = 0x03_14;
const VERSION = 20;

/**
 * @param {readonly { readonly path: string, readonly content: Uint8Array }[]} files in the order of the archive
 * @returns {Buffer}
 */
export function zipOf(files) {
  let at = 0;
  const entries = files.map(({ path, content }) => {
    const name = Buffer.from(path);
    const facts = factsOf(name, content);
    const local = Buffer.concat([signature(0x04_03_4b_50), facts, name, content]);
    const central = Buffer.concat([signature(0x02_01_4b_50), short(MADE_ON_UNIX), facts, placeOf(at), name]);
    at += local.length;
    return { local, central };
  });
  const directory = Buffer.concat(entries.map(({ central }) => central));
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...entries.map(({ local }) => local), directory, signature(0x06_05_4b_50), end]);
}

/**
 * What both headers of a file say: version, date, checksum, sizes.
 * @param {Buffer} name
 * @param {Uint8Array} content
 */
function factsOf(name, content) {
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(VERSION, 0);
  facts.writeUInt16LE(DATE, 8);
  facts.writeUInt32LE(crc32(content), 10);
  facts.writeUInt32LE(content.length, 14);
  facts.writeUInt32LE(content.length, 18);
  facts.writeUInt16LE(name.length, 22);
  return facts;
}

/** The end of a file's header in the directory: its mode, and the place of its other header. @param {number} at */
function placeOf(at) {
  const place = Buffer.alloc(14);
  place.writeUInt32LE(MODE, 6);
  place.writeUInt32LE(at, 10);
  return place;
}

/** @param {number} value */
function signature(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** @param {number} value */
function short(value) {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
