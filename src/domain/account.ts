// An account: operators make it, and everything else belongs to one (contract §2). Its stream owns the list of its
// owners.
import { z } from 'zod';
import { refuseCardNumber } from './card-number/check.ts';
import { category, event, upcast } from './category.ts';
import { accept, type Decider, type Decision, type Rejection, reject } from './decider.ts';
import { NamedConnection, RecordedRules } from './routing/recorded-rules.ts';

/** Before accounts were marked as operating the store or not. */
const AccountCreatedV1 = z.strictObject({ name: z.string() });

export const accountCategory = category(
  'account',
  z.discriminatedUnion('type', [
    /** `operator`: its users may change what concerns the whole store; null: made before that was recorded. */
    event('AccountCreated', z.strictObject({ name: z.string(), operator: z.boolean().nullable() })),
    event('AccountRenamed', z.strictObject({ name: z.string() })),
    /**
     * A link to the page where the account's first owner gives an e-mail and a password: of its token a keyed hash; ms.
     */
    event('OwnerLinkMade', z.strictObject({ tokenHash: z.string(), expiresAt: z.number() })),
    /** A user of the account is about to become an active owner; `tokenHash`: of the link that makes the first one. */
    event('OwnerJoined', z.strictObject({ userId: z.string(), tokenHash: z.string().optional() })),
    event('OwnerLeft', z.strictObject({ userId: z.string() })),
    /** All of them: pages of these origins may frame the account's checkout (contract §3). */
    event('AllowedOriginsSet', z.strictObject({ origins: z.array(z.string()) })),
    /** The rules by which new payments are routed, and the connections that they name. `version`: from 1. */
    event(
      'RoutingSet',
      z.strictObject({ version: z.number(), rules: RecordedRules, connections: z.array(NamedConnection) }),
    ),
    /** The rules were removed: new payments go where their tokens are good. `version`: the next after theirs. */
    event('RoutingCleared', z.strictObject({ version: z.number() })),
  ]),
  { AccountCreated: [upcast(AccountCreatedV1, (older) => ({ ...older, operator: null }))] },
);
export type AccountEvent = z.infer<typeof accountCategory.event>;

/** A link for the first owner; `usedBy`: the user whom it has made the owner. */
interface OwnerLink {
  readonly tokenHash: string;
  /** ms */
  readonly expiresAt: number;
  readonly usedBy?: string;
}

export interface OpenAccount {
  readonly status: 'open';
  readonly name: string;
  /**
   * Its users may change what concerns the whole store; null: made before that was recorded, when the first account was
   * the operator's.
   */
  readonly operator: boolean | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /**
   * The owners, and users who were about to become one; undefined before the first. Each user's own stream says which.
   */
  readonly owners?: readonly string[];
  /** The newest ones, oldest first. */
  readonly ownerLinks?: readonly OwnerLink[];
  /** The origins whose pages may frame the checkout in live mode. */
  readonly allowedOrigins?: readonly string[];
  /** The rules by which its payments are routed; undefined: a payment goes where its token is good. */
  readonly routing?: Routing;
  /** The version that removed the rules; undefined while it has rules, and before its first. */
  readonly clearedRouting?: number;
}

export interface Routing {
  /** From 1. */
  readonly version: number;
  readonly rules: RecordedRules;
  readonly connections: readonly NamedConnection[];
  /** When they were set, ms. */
  readonly setAt: number;
}

export type Account = { readonly status: 'absent' } | OpenAccount;

/** The name of an account that nobody has named: that of the first start. */
export const UNNAMED = 'Default';

/** The name that customers see; undefined while nobody has given one. */
export const shopNameIn = ({ name }: Pick<OpenAccount, 'name'>): string | undefined =>
  name === UNNAMED ? undefined : name;

/** Processes that start at once each print a link, and all of them are good. */
const LINKS_KEPT = 8;

export const account: Decider<Account, AccountEvent> = {
  category: accountCategory,
  initial: { status: 'absent' },
  evolve(account, { type, data }, { at }) {
    if (type === 'AccountCreated') return { status: 'open', name: data.name, operator: data.operator, createdAt: at };
    if (account.status === 'absent') throw new Error(`${type} before AccountCreated`);
    switch (type) {
      case 'AccountRenamed':
        return { ...account, name: data.name };
      case 'OwnerLinkMade':
        return { ...account, ownerLinks: [...(account.ownerLinks ?? []), { ...data }].slice(-LINKS_KEPT) };
      case 'OwnerJoined': {
        const { userId, tokenHash } = data;
        const owners = [...(account.owners ?? []).filter((one) => one !== userId), userId];
        if (tokenHash === undefined) return { ...account, owners };
        const used = (account.ownerLinks ?? []).filter((link) => link.tokenHash === tokenHash);
        return { ...account, owners, ownerLinks: used.map((link) => ({ ...link, usedBy: userId })) };
      }
      case 'OwnerLeft':
        return { ...account, owners: (account.owners ?? []).filter((one) => one !== data.userId) };
      case 'AllowedOriginsSet':
        return { ...account, allowedOrigins: data.origins };
      case 'RoutingSet':
        return { ...withoutRouting(account), routing: { ...data, setAt: at } };
      case 'RoutingCleared':
        return { ...withoutRouting(account), clearedRouting: data.version };
      default:
        return type satisfies never;
    }
  },
};

const withoutRouting = ({ routing: _rules, clearedRouting: _version, ...rest }: OpenAccount): OpenAccount => rest;

// Decisions on an account. It owns the limit "never without an owner": an owner joins here before getting the role, and
// leaves here before losing it.

type AccountDecision = Decision<AccountEvent>;

/**
 * Makes the account; a repetition makes no event. `name` has 1 to 255 characters; CardNumberNotAllowed for a card
 * number in it. `operator`: its users may change what concerns the whole store.
 */
export const createAccount =
  (name: string, operator: boolean) =>
  (account: Account): AccountDecision =>
    account.status === 'absent'
      ? (refuseCardNumber(name) ?? accept({ type: 'AccountCreated', data: { name, operator } }))
      : accept();

const NOT_THERE = (): Rejection => reject('NotFound', 'There is no such account.');

/**
 * Gives the account another name of 1 to 255 characters; the same name: nothing. CardNumberNotAllowed for a card number
 * in it.
 */
export const renameAccount =
  (name: string) =>
  (account: Account): AccountDecision => {
    if (account.status === 'absent') return NOT_THERE();
    if (account.name === name) return accept();
    return refuseCardNumber(name) ?? accept({ type: 'AccountRenamed', data: { name } });
  };

/** A link for the first owner; `expiresAt` in ms. */
export const makeOwnerLink =
  (link: { readonly tokenHash: string; readonly expiresAt: number }) =>
  (account: Account): AccountDecision =>
    account.status === 'absent' ? NOT_THERE() : accept({ type: 'OwnerLinkMade', data: { ...link } });

/** The link of one of these hashes, while it may be used at `at` (ms); a used one goes on for the user who used it. */
export const ownerLinkOf = (account: Account, tokenHashes: readonly string[], at: number): OwnerLink | undefined =>
  account.status === 'absent'
    ? undefined
    : account.ownerLinks?.find((link) => tokenHashes.includes(link.tokenHash) && at < link.expiresAt);

/**
 * Makes a user the first owner by a link, once. `ghosts`: owners who have never signed in, because the process that
 * made them was killed; they leave. NotFound for a link that is over, and where the account has an owner.
 */
export const useOwnerLink =
  (used: {
    readonly userId: string;
    readonly tokenHashes: readonly string[];
    readonly at: number;
    readonly ghosts: readonly string[];
  }) =>
  (account: Account): AccountDecision => {
    const { userId, ghosts } = used;
    const link = ownerLinkOf(account, used.tokenHashes, used.at);
    if (account.status === 'absent' || link === undefined) return OVER();
    if (link.usedBy !== undefined) return link.usedBy === userId ? accept() : OVER();
    const owners = account.owners ?? [];
    if (owners.some((one) => !ghosts.includes(one))) return OVER();
    const left = owners
      .filter((one) => one !== userId)
      .map((one): AccountEvent => ({ type: 'OwnerLeft', data: { userId: one } }));
    return accept(...left, { type: 'OwnerJoined', data: { userId, tokenHash: link.tokenHash } });
  };

const OVER = (): Rejection =>
  reject('NotFound', 'This link is not valid: it was used, it has expired, or the account has an owner.');

/** A user is about to become an active owner; again: nothing. */
export const addOwner =
  (userId: string) =>
  (account: Account): AccountDecision =>
    account.status === 'absent'
      ? NOT_THERE()
      : isOwner(account, userId)
        ? accept()
        : accept({ type: 'OwnerJoined', data: { userId } });

/**
 * An owner leaves; again: nothing. Conflict for the last one. `isActive`: the user is an active owner now; `others`:
 * users on the list who are. Streams of users say both.
 */
export const removeOwner =
  ({
    userId,
    isActive,
    others,
  }: {
    readonly userId: string;
    readonly isActive: boolean;
    readonly others: readonly string[];
  }) =>
  (account: Account): AccountDecision => {
    if (account.status === 'absent') return NOT_THERE();
    if (isActive && !others.some((one) => one !== userId && isOwner(account, one))) {
      return reject('Conflict', 'This is the last active owner of the account.');
    }
    return isOwner(account, userId) ? accept({ type: 'OwnerLeft', data: { userId } }) : accept();
  };

const isOwner = ({ owners = [] }: OpenAccount, userId: string): boolean => owners.includes(userId);

/**
 * An origin as a browser writes it: https, or http on the shop's own machine; no path, and nothing that ends a
 * directive of a policy.
 */
const ORIGIN =
  /^(?:https:\/\/[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|http:\/\/(?:localhost|127\.0\.0\.1))(?::[1-9]\d{0,4})?$/;
const ORIGINS_MAX = 50;

/**
 * Sets the complete list of origins whose pages may frame the checkout (contract §3). No event if the list is
 * unchanged. RequestValidationError for a text that is not an origin, and for more than 50.
 */
export const setAllowedOrigins =
  (origins: readonly string[]) =>
  (account: Account): AccountDecision => {
    if (account.status === 'absent') return NOT_THERE();
    const wrong = origins.find((origin) => !ORIGIN.test(origin));
    if (wrong !== undefined) {
      return reject(
        'RequestValidationError',
        `${JSON.stringify(wrong)} is not an origin. Use a form such as https://shop.example, without a path.`,
      );
    }
    if (origins.length > ORIGINS_MAX)
      return reject('RequestValidationError', `An account has at most ${ORIGINS_MAX} origins.`);
    const named = [...new Set(origins)];
    const before = account.allowedOrigins ?? [];
    const isSame = before.length === named.length && before.every((origin, at) => origin === named[at]);
    return isSame ? accept() : accept({ type: 'AllowedOriginsSet', data: { origins: named } });
  };

/**
 * Sets the rules by which the account's payments are routed; the same ones: nothing. `shown`: the version that the
 * caller saw, 0 for none; Conflict if there is a newer one.
 */
export const setRouting =
  ({
    rules,
    connections,
    shown,
  }: {
    readonly rules: RecordedRules;
    readonly connections: readonly NamedConnection[];
    readonly shown?: number | undefined;
  }) =>
  (account: Account): AccountDecision => {
    if (account.status === 'absent') return NOT_THERE();
    const { routing } = account;
    const version = routingVersion(account);
    if (shown !== undefined && shown !== version) return otherRules(version);
    const isSame = routing !== undefined && isSameJson([routing.rules, routing.connections], [rules, connections]);
    return isSame
      ? accept()
      : accept({ type: 'RoutingSet', data: { version: version + 1, rules, connections: [...connections] } });
  };

/**
 * Removes the rules, so that a payment goes where its token is good; nothing without rules. `shown`: as for
 * `setRouting`.
 */
export const clearRouting =
  (shown?: number) =>
  (account: Account): AccountDecision => {
    if (account.status === 'absent') return NOT_THERE();
    const version = routingVersion(account);
    if (shown !== undefined && shown !== version) return otherRules(version);
    return account.routing === undefined
      ? accept()
      : accept({ type: 'RoutingCleared', data: { version: version + 1 } });
  };

/** 0 before the first rules. */
const routingVersion = ({ routing, clearedRouting = 0 }: OpenAccount): number => routing?.version ?? clearedRouting;

const otherRules = (version: number): Rejection =>
  reject('Conflict', `The rules are at version ${version} by now. Look at them, and change them again.`);

/** Both were made by the same schema, so their members have one order. */
const isSameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
