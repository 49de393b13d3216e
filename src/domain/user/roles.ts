// The roles of the dashboard's users, of which none contains another; their e-mail as it is compared and kept; the
// rules for a password: long, and none that guessers try first (NIST SP 800-63B: no rules on composition).
import { SCOPES, type Scope } from '../scopes.ts';

export const ROLES = ['owner', 'developer', 'support', 'auditor'] as const;

export type Role = (typeof ROLES)[number];

/**
 * The scopes of a key that could do the same as a user of the role: a management key that invites the user sees the
 * welcome link, so the role must not exceed what the key may grant. A developer creates keys of any scope. A person who
 * sees a payment link can get the client token of its session.
 */
export const SCOPES_OF_ROLE: { readonly [role in Exclude<Role, 'owner'>]: readonly Scope[] } = {
  developer: SCOPES,
  support: [
    'client_tokens:write',
    'transactions:authorize',
    'transactions:cancel',
    'transactions:capture',
    'transactions:retrieve',
    'transactions:refund',
    'payment_instrument:read',
  ],
  auditor: ['client_tokens:write', 'transactions:retrieve', 'payment_instrument:read'],
};

/** One e-mail, one user: without the case and the spaces around it. */
export const plainEmail = (text: string): string => text.trim().normalize('NFC').toLowerCase();

const SHORTEST_PASSWORD = 12;
/** Longer ones would only cost time. */
const LONGEST_PASSWORD = 256;

/** Of twelve characters and more, those that lists of stolen passwords have most often. */
const COMMON: ReadonlySet<string> = new Set([
  '123456789012',
  '1234567890123',
  '12345678901234',
  '123456789012345',
  '1234567890123456',
  '1q2w3e4r5t6y',
  '1qaz2wsx3edc',
  'abcdefghijkl',
  'administrator',
  'changemechangeme',
  'correcthorsebatterystaple',
  'counterfoil1',
  'counterfoil123',
  'iloveyou1234',
  'letmeinletmein',
  'passw0rd1234',
  'password1234',
  'password12345',
  'password123456',
  'passwordpassword',
  'qwerty123456',
  'qwertyqwerty',
  'qwertyuiop12',
  'qwertyuiop123',
  'qwertyuiopasdfgh',
  'welcome12345',
  'welcomewelcome',
]);

/** Why the password is refused, in a sentence; undefined if it is good. `email`: of its user. */
export function faultOfPassword(password: string, email: string): string | undefined {
  const characters = [...password].length;
  if (characters < SHORTEST_PASSWORD) return `A password has at least ${SHORTEST_PASSWORD} characters.`;
  if (characters > LONGEST_PASSWORD) return `A password has at most ${LONGEST_PASSWORD} characters.`;
  const plain = password.normalize('NFKC').trim().toLowerCase();
  const [name = ''] = email.split('@');
  if (plain === email || plain === name) return 'The password must not be the e-mail address.';
  if (COMMON.has(plain) || new Set(plain).size < 4)
    return 'This password is among the most common ones. Choose another one.';
  return undefined;
}
