// The text of an API key: `cf_<test|live>_<key id>_<secret><checksum>` (contract §2); typos and leaks are recognised
// offline.
import { crc32 } from 'node:zlib';

const SHAPE = /^cf_(test|live)_([0-9a-f]{32})_([0-9a-f]{64})([0-9A-Za-z]{6})$/;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

interface ApiKeyText {
  readonly env: 'test' | 'live';
  /** `key_…`, the stream's id. */
  readonly keyId: string;
  /** 256 bits in hex. */
  readonly secret: string;
}

const checksum = (text: string): string => {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place += 1) {
    digits = `${BASE62[rest % 62]}${digits}`;
    rest = Math.floor(rest / 62);
  }
  return digits;
};

export function formatApiKey({ env, keyId, secret }: ApiKeyText): string {
  const text = `cf_${env}_${keyId.slice('key_'.length)}_${secret}`;
  return `${text}${checksum(text)}`;
}

/** Undefined if the text is not a key at all, or a mistyped one. */
export function parseApiKey(text: string): ApiKeyText | undefined {
  const match = SHAPE.exec(text);
  if (match === null) return undefined;
  const [, env, id, secret, sum] = match;
  if (secret === undefined || checksum(text.slice(0, -6)) !== sum) return undefined;
  return { env: env === 'live' ? 'live' : 'test', keyId: `key_${id}`, secret };
}
