// One administration with two ways in: a user's session with a role, below /dashboard/api; a management key with
// grants, below /management (contract §12). The table of who may do what.
import { MANAGEMENT } from '../../../domain/scopes.ts';
import { aboutStore, forConfirmed, forRoles, forUsers, type Route } from '../../route.ts';

type RouteAccess = Route['scope'];

/** Who reads, and who changes. */
interface May {
  readonly read: RouteAccess;
  readonly change: RouteAccess;
}

const DEVELOPERS = forRoles('owner', 'developer');
const DEVELOPERS_CONFIRMED = forConfirmed('owner', 'developer');

/** What users may do by their roles. The four that a program may do as well are in both ways. */
export const MAY = {
  account: { read: forUsers, change: forRoles('owner') },
  keys: { read: DEVELOPERS, change: DEVELOPERS_CONFIRMED },
  users: { read: forRoles('owner'), change: forConfirmed('owner') },
  webhookEndpoints: { read: DEVELOPERS, change: DEVELOPERS_CONFIRMED },
  /** A management key can invite users, so only owners create one or see its text. */
  managementKeys: { change: forConfirmed('owner') },
  deliveries: { read: DEVELOPERS, resend: DEVELOPERS },
  incomingUrls: { read: DEVELOPERS, change: DEVELOPERS_CONFIRMED },
  connections: {
    read: DEVELOPERS,
    check: DEVELOPERS,
    disable: DEVELOPERS_CONFIRMED,
    /** Whether a reference can be used: the secret of any variable or file, and the reason of a no, stay here. */
    look: aboutStore(DEVELOPERS),
    /** A reference may name any variable or file of the machine, so it concerns every account of the store. */
    name: aboutStore(DEVELOPERS_CONFIRMED),
  },
  routing: { read: DEVELOPERS, try: DEVELOPERS, change: DEVELOPERS_CONFIRMED },
  erasure: { change: forConfirmed('owner') },
  proof: { read: forRoles('owner', 'developer', 'auditor') },
  readModels: { read: aboutStore(DEVELOPERS), rebuild: aboutStore(DEVELOPERS) },
  parked: { read: DEVELOPERS, change: DEVELOPERS },
} as const;

export interface Way {
  /** `/dashboard/api` or `/management`. */
  readonly prefix: string;
  /** Users see and do more than programs: management keys, owners, the health of endpoints. */
  readonly isForUsers: boolean;
  readonly may: { readonly [Part in 'account' | 'keys' | 'users' | 'webhookEndpoints']: May };
}

const BY_KEY: May = { read: MANAGEMENT, change: MANAGEMENT };
export const OF_USERS: Way = { prefix: '/dashboard/api', isForUsers: true, may: MAY };
export const OF_PROGRAMS: Way = {
  prefix: '/management',
  isForUsers: false,
  may: { account: BY_KEY, keys: BY_KEY, users: BY_KEY, webhookEndpoints: BY_KEY },
};
