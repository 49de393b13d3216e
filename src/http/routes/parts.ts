// What routes call: the subjects of a service, and the parts of the process that serves it.
import type { Audit } from '../../audit/audit.ts';
import type { AccessControl } from '../../commands/access/access.ts';
import type { RecordAct } from '../../commands/acts/record-act.ts';
import type { Agreements } from '../../commands/agreements/agreements.ts';
import type { Answer, Caller } from '../../commands/caller.ts';
import type { AccountConnections } from '../../commands/connections/connections.ts';
import type {
  ConnectionAdded,
  examineConnection,
  NewConnection,
  ReferenceAsked,
} from '../../commands/connections/manage-connections.ts';
import type { ReadRules, setRouting } from '../../commands/connections/manage-routing.ts';
import type { ErasureAnswer } from '../../commands/customers/erase-customer.ts';
import type { Instruments } from '../../commands/instruments/instruments.ts';
import type { Circuits } from '../../commands/limits/circuits.ts';
import type { Notifications } from '../../commands/notifications/notifications.ts';
import type { Notes } from '../../commands/payments/payment-notes.ts';
import type { Payments } from '../../commands/payments/payments.ts';
import type { PaymentLinks } from '../../commands/sessions/payment-link.ts';
import type { Sessions } from '../../commands/sessions/sessions.ts';
import type { Users } from '../../commands/users/users.ts';
import type { Views } from '../../commands/views/saved-views.ts';
import type { Webhooks } from '../../commands/webhooks/webhooks.ts';
import type { Account } from '../../domain/account.ts';
import type { ConnectionState, NewReferences } from '../../domain/connection.ts';
import type { Rejection } from '../../domain/decider.ts';
import type { Processor } from '../../processors/processor.ts';
import type { Projections } from '../../projections/engine/engine.ts';
import type { Ready } from '../../projections/engine/health/readiness.ts';
import type { Nodes } from '../../projections/running/nodes.ts';
import type { Rebuilds } from '../../projections/running/rebuilds.ts';
import type { LiveFeed } from '../../queries/live-feed.ts';
import type { Queries } from '../../queries/queries.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { ReadModels } from '../../stores/read-models.ts';
import type { World } from '../../world.ts';
import type { SessionCookie } from '../checks/browser.ts';
import type { DashboardSandbox } from './dashboard/sandbox.ts';
import type { SandboxInspection } from './sandbox.ts';

/** The subjects of a service. */
export interface RouteParts {
  readonly access: AccessControl;
  readonly sessions: Sessions & PaymentLinks;
  readonly instruments: Instruments;
  readonly customers: {
    readonly eraseCustomer: (customerId: string, caller: Caller) => Promise<ErasureAnswer>;
  };
  readonly payments: Payments;
  readonly agreements: Agreements;
  readonly notes: Notes;
  readonly views: Views;
  readonly users: Users;
  readonly notifications: Notifications;
  readonly webhooks: Webhooks;
  readonly audit: Audit;
  readonly recordAct: RecordAct;
  readonly connections: {
    readonly known: Pick<AccountConnections, 'listOf' | 'read' | 'problemsOf' | 'processor'>;
    /** The processors that a connection may name. */
    readonly processors: readonly string[];
    /** Those of them that have a connection without anybody's doing, which is named like them. */
    readonly builtIn: readonly string[];
    readonly canUse: (asked: ReferenceAsked) => Promise<boolean | Rejection>;
    readonly add: (added: NewConnection, by: Caller) => Promise<ConnectionAdded | Rejection>;
    readonly rotate: (id: string, references: NewReferences, by: Caller) => Promise<Answer<ConnectionState>>;
    readonly disable: (id: string, by: Caller) => Promise<Answer<ConnectionState>>;
    readonly examine: (id: string, by: Caller) => ReturnType<typeof examineConnection>;
  };
  readonly routing: {
    readonly set: (asked: Parameters<typeof setRouting>[1], by: Caller) => Promise<Answer<Account>>;
    readonly read: (accountId: string, sent: unknown) => Promise<ReadRules>;
    readonly connectionsOf: (
      accountId: string,
    ) => Promise<readonly { readonly name: string; readonly connectionId: string }[]>;
  };
  readonly queries: Queries;
  /** The processors that this node can call. */
  readonly processors: ReadonlyMap<string, Processor>;
  readonly circuits: Pick<Circuits, 'statuses' | 'statusesOf' | 'statusOf' | 'lastCalls' | 'limits'>;
  readonly projections: Projections;
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly world: World;
  readonly mode: 'test' | 'live';
  readonly readiness: () => Ready;
  /** In test mode only. */
  readonly sandbox?: SandboxInspection;
}

/** Besides, for the dashboard and for programs with a management key. */
export interface ServingParts extends RouteParts {
  readonly cookie: SessionCookie;
  readonly feed: Pick<LiveFeed, 'open'>;
  readonly nodes: Pick<Nodes, 'list'>;
  readonly rebuilds: Pick<Rebuilds, 'views' | 'start'>;
  /** Where browsers reach the service, without a slash at its end. */
  readonly publicUrl: () => string;
  /** In test mode only. */
  readonly dashboardSandbox?: DashboardSandbox;
}
