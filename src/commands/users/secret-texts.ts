// The two texts that let a user in: the value of a session's cookie, and the token of a welcome link. Events hold keyed
// hashes of them.
import type { Secrets } from '../../secrets.ts';
import type { World } from '../../world.ts';

const SESSION = /^(usr_[0-9a-f]{32})\.(ses_[0-9a-f]{32})\.([A-Za-z0-9_-]{43})$/;
const LINK = /^((?:usr|acc)_[0-9a-f]{32})\.([A-Za-z0-9_-]{43})$/;

interface SessionText {
  readonly userId: string;
  readonly sessionId: string;
  readonly secret: string;
}

interface LinkToken {
  /** `usr_…`: the user who is let in; `acc_…`: the account whose first owner is. */
  readonly ownerId: string;
  readonly secret: string;
}

/** 256 bits. */
export const newSecret = (world: Pick<World, 'randomBytes'>): string =>
  Buffer.from(world.randomBytes(32)).toString('base64url');

export const formatSession = ({ userId, sessionId, secret }: SessionText): string => `${userId}.${sessionId}.${secret}`;

/** Undefined for a text that is no such value. */
export function parseSession(text: string): SessionText | undefined {
  const [, userId, sessionId, secret] = SESSION.exec(text) ?? [];
  return userId === undefined || sessionId === undefined || secret === undefined
    ? undefined
    : { userId, sessionId, secret };
}

export const formatLink = ({ ownerId, secret }: LinkToken): string => `${ownerId}.${secret}`;

/** Undefined for a text that is no such token. */
export function parseLink(text: string): LinkToken | undefined {
  const [, ownerId, secret] = LINK.exec(text) ?? [];
  return ownerId === undefined || secret === undefined ? undefined : { ownerId, secret };
}

/** The hash that is recorded, and the hashes that may have been: one under each master secret. */
export const sessionHash = (secrets: Secrets, secret: string): string =>
  secrets.sign('session-hash', secret).toString('hex');
export const sessionHashes = (secrets: Secrets, secret: string): readonly string[] =>
  secrets.signatures('session-hash', secret);
export const linkHash = (secrets: Secrets, secret: string): string =>
  secrets.sign('welcome-link', secret).toString('hex');
export const linkHashes = (secrets: Secrets, secret: string): readonly string[] =>
  secrets.signatures('welcome-link', secret);
