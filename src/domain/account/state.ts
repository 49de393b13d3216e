// The state of an account.
import type { Decider } from '../decider.ts';
import type { NamedConnection, RecordedRules } from '../routing/recorded-rules.ts';
import { type AccountEvent, accountCategory } from './events.ts';

/** A link for the first owner; `usedBy`: the user whom it has made the owner. */
export interface OwnerLink {
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
