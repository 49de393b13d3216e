// Sign-in by a one-time link: the user sets a password. The first owner's link belongs to the account, and its page
// also asks for the e-mail address and the name of the shop.
import {
  makeOwnerLink as decideOwnerLink,
  type OpenAccount,
  ownerLinkOf,
  renameAccount,
  shopNameIn,
  useOwnerLink,
} from '../../domain/account.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { acceptLink, acceptOwnership, inviteUser, isFirst, LINK_IS_OVER, opensBy } from '../../domain/user/decide.ts';
import type { UserEvent } from '../../domain/user/events.ts';
import { faultOfPassword, plainEmail } from '../../domain/user/roles.ts';
import type { User } from '../../domain/user/state.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { type Transacted, transact } from '../../journal/transact.ts';
import { knownAsker } from '../limits/admission.ts';
import { machineTime } from './machine-time.ts';
import type { UserNeeds } from './needs.ts';
import { type Browser, beginSession } from './new-session.ts';
import { joinOwners } from './owners.ts';
import { formatLink, linkHash, linkHashes, newSecret, parseLink } from './secret-texts.ts';
import { type SignedIn, userContext } from './sign-in.ts';
import { listUnderEmail, recipeFor, userIdIn } from './users-of-email.ts';

/** How long a link lets in. */
const LINK_MS = 86_400_000;

interface LinkMade {
  /** The token: only the fragment of the link contains it, and it cannot be shown again. */
  readonly token: string;
  readonly link: { readonly tokenHash: string; readonly expiresAt: number };
}

/** `ownerId`: the user, or the account. `secret`: 256 bits, as base64url. */
export function linkOfSecret(
  { world, secrets }: Pick<UserNeeds, 'world' | 'secrets'>,
  ownerId: string,
  secret: string,
): LinkMade {
  return {
    token: formatLink({ ownerId, secret }),
    link: { tokenHash: linkHash(secrets, secret), expiresAt: machineTime(world) + LINK_MS },
  };
}

/** A link for the first owner of an account. NotFound for an unknown account. */
export async function makeOwnerLink(
  needs: UserNeeds,
  accountId: string,
): Promise<{ readonly kind: 'made'; readonly token: string } | Rejection> {
  const context = operatorContext(needs.world, accountId);
  const { token, link } = linkOfSecret(needs, accountId, newSecret(needs.world));
  const made = await transact(needs.accounts, accountId, context, decideOwnerLink(link));
  return made.kind === 'rejected' ? made : { kind: 'made', token };
}

/** The data for the page of a link. */
interface Welcome {
  readonly kind: 'welcome';
  /** Undefined while nobody has named the account. */
  readonly shopName: string | undefined;
  /** Undefined: the first owner gives it. */
  readonly email: string | undefined;
  /** True if it is the link of the first owner, who may name the account. */
  readonly isFirstOwner: boolean;
}

const welcomeTo = (account: OpenAccount | undefined, email: string | undefined, isFirstOwner: boolean): Welcome => ({
  kind: 'welcome',
  shopName: account && shopNameIn(account),
  email,
  isFirstOwner,
});

/** NotFound for a link that is over, or never was. */
export async function lookAtLink(needs: UserNeeds, token: string): Promise<Welcome | Rejection> {
  const at = machineTime(needs.world);
  const parsed = parseLink(token);
  if (parsed === undefined) return LINK_IS_OVER();
  const hashes = linkHashes(needs.secrets, parsed.secret);
  if (parsed.ownerId.startsWith('acc_')) {
    const { state: account } = await needs.accounts.current(parsed.ownerId);
    const link = ownerLinkOf(account, hashes, at);
    if (link === undefined || account.status === 'absent') return LINK_IS_OVER();
    if (link.usedBy === undefined) return welcomeTo(account, undefined, true);
    const { state: owner } = await needs.users.current(link.usedBy);
    return isFirst(owner) ? welcomeTo(account, owner.email, true) : LINK_IS_OVER();
  }
  const { state: user } = await needs.users.current(parsed.ownerId);
  if (!opensBy(user, hashes, at)) return LINK_IS_OVER();
  const { state: account } = await needs.accounts.current(user.accountId);
  return welcomeTo(account.status === 'absent' ? undefined : account, user.email, false);
}

export interface WelcomeRequest extends Browser {
  readonly token: string;
  /** For the first owner alone. */
  readonly email?: string | undefined;
  /** From the first owner alone, 1 to 255 characters: the account's name from now on. Left out: it keeps its name. */
  readonly shopName?: string | undefined;
  readonly password: string;
  /** Business time, ms. */
  readonly at: number;
  readonly requestId: string;
}

/**
 * Sets the password and signs the user in; the link is used up. NotFound for a link that is over;
 * RequestValidationError for the input; CardNumberNotAllowed for the name of a shop that holds a card number.
 */
export async function welcome(needs: UserNeeds, request: WelcomeRequest): Promise<SignedIn | Rejection> {
  const looked = await lookAtLink(needs, request.token);
  if (looked.kind === 'rejected') return looked;
  const email = plainEmail(looked.email ?? request.email ?? '');
  if (email === '') return invalid('$.email', 'The e-mail address of the first owner is missing.');
  const fault = faultOfPassword(request.password, email);
  if (fault !== undefined) return invalid('$.password', fault);
  const parsed = parseLink(request.token);
  if (parsed === undefined) return LINK_IS_OVER();
  const tokenHashes = linkHashes(needs.secrets, parsed.secret);
  const passwordHash = await needs.passwords.hash(
    request.password,
    await recipeFor(needs, email),
    knownAsker(request.signal),
  );
  const { ownerId } = parsed;
  const isFirstOwner = ownerId.startsWith('acc_');
  const userId = isFirstOwner ? await userIdIn(needs, ownerId, email) : ownerId;
  const { session, cookie } = beginSession(needs, userId, request, 'link');
  await needs.mayWrite();
  const of = { userId, email, request, tokenHashes };
  const done = isFirstOwner
    ? await becomeOwner(needs, ownerId, of, acceptOwnership(passwordHash, session))
    : await becomeActive(needs, of, acceptLink({ tokenHashes, passwordHash, session, at: machineTime(needs.world) }));
  if (done.kind === 'rejected') return done;
  const { state: user } = done.folded;
  if (user.status === 'absent') return LINK_IS_OVER();
  return { kind: 'signed_in', userId, sessionId: session.sessionId, user, cookie };
}

interface Becoming {
  readonly userId: string;
  readonly email: string;
  readonly request: WelcomeRequest;
  readonly tokenHashes: readonly string[];
}

/**
 * The e-mail lists the user first; then the user without a password, which opens nothing; then the account's one owner;
 * then the name of the shop, if the owner gives one; then the password. A kill between them leaves a ghost, who gives
 * the name again.
 */
async function becomeOwner(
  needs: UserNeeds,
  accountId: string,
  { userId, email, request, tokenHashes }: Becoming,
  accept: ReturnType<typeof acceptOwnership>,
): Promise<Transacted<User, UserEvent>> {
  const context = userContext(needs, userId, accountId, request);
  const { state: before } = await needs.users.current(userId);
  if (before.status === 'absent') {
    const refused = await listUnderEmail(needs, { userId, email }, context);
    if (refused !== undefined) return refused;
    const invited = await transact(needs.users, userId, context, inviteUser({ accountId, email, role: 'owner' }));
    if (invited.kind === 'rejected') return invited;
  } else if (!isFirst(before) || before.role !== 'owner') {
    return invalid('$.email', 'A user with this e-mail address already exists.');
  }
  const used = { userId, tokenHashes, at: machineTime(needs.world), ghosts: await ghostsOf(needs, accountId) };
  const claimed = await transact(needs.accounts, accountId, context, useOwnerLink(used));
  if (claimed.kind === 'rejected') return claimed;
  if (request.shopName !== undefined) {
    const named = await transact(needs.accounts, accountId, context, renameAccount(request.shopName));
    if (named.kind === 'rejected') return named;
  }
  return transact(needs.users, userId, context, accept);
}

/** Owners on the account's list who have never signed in. */
async function ghostsOf(needs: UserNeeds, accountId: string): Promise<readonly string[]> {
  const { state: account } = await needs.accounts.current(accountId);
  const owners = account.status === 'absent' ? [] : (account.owners ?? []);
  const folds = await Promise.all(owners.map(async (id) => ({ id, user: (await needs.users.current(id)).state })));
  return folds.filter(({ user }) => user.status === 'absent' || user.signedInAt === undefined).map(({ id }) => id);
}

/** A user's own link: an owner joins the account's list before the password. */
async function becomeActive(
  needs: UserNeeds,
  { userId, request }: Becoming,
  accept: ReturnType<typeof acceptLink>,
): Promise<Transacted<User, UserEvent>> {
  const { state: before } = await needs.users.current(userId);
  if (before.status === 'absent') return LINK_IS_OVER();
  const context = userContext(needs, userId, before.accountId, request);
  const refused = before.role === 'owner' ? await joinOwners(needs, before.accountId, userId, context) : undefined;
  return refused ?? transact(needs.users, userId, context, accept);
}

const invalid = (path: string, description: string): Rejection =>
  reject('RequestValidationError', description, { violations: [{ path, description }] });
