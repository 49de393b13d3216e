// The routes of the dashboard: a page is a line here, loaded when it is opened. Search parameters are the API's own
// names.
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { agreementSearch } from '../pages/agreements/agreement-search.ts';
import { sessionSearch } from '../pages/client-sessions/session-search.ts';
import { customerSearch } from '../pages/customers/customer-search.ts';
import { deliverySearch } from '../pages/developers/webhooks/delivery-search.ts';
import { webhooksSearch } from '../pages/developers/webhooks/webhooks-search.ts';
import { disputeSearch } from '../pages/disputes/dispute-search.ts';
import { instrumentSearch } from '../pages/instruments/instrument-search.ts';
import { operationsSearch } from '../pages/operations/operations-search.ts';
import { paymentLinkSearch } from '../pages/payment-links/payment-link-search.ts';
import { pastSearch } from '../pages/payments/past-queries.ts';
import { paymentSearch } from '../pages/payments/payment-filters.ts';
import { sandboxSearch } from '../pages/sandbox/sandbox-search.ts';
import { eventsSearch } from '../pages/streams/events-search.ts';
import { AppFrame } from './frame.tsx';
import { latePage } from './late-page.tsx';
import { NotFound, PageFault } from './page-fault.tsx';
import { Root } from './root.tsx';

const root = createRootRoute({ component: Root, notFoundComponent: NotFound, errorComponent: PageFault });

/** The parent of every page of a signed-in user. */
const app = createRoute({ getParentRoute: () => root, id: 'app', component: AppFrame, notFoundComponent: NotFound });

const overview = createRoute({
  getParentRoute: () => app,
  path: '/',
  component: latePage(async () => (await import('../pages/overview/overview-page.tsx')).OverviewPage),
});

const keys = createRoute({
  getParentRoute: () => app,
  path: '/developers/keys',
  component: latePage(async () => (await import('../pages/developers/keys/keys-page.tsx')).KeysPage),
});

const webhooks = createRoute({
  getParentRoute: () => app,
  path: '/developers/webhooks',
  validateSearch: webhooksSearch,
  component: latePage(async () => (await import('../pages/developers/webhooks/webhooks-page.tsx')).WebhooksPage),
});
const webhookEndpoint = createRoute({
  getParentRoute: () => app,
  path: '/developers/webhooks/$endpointId',
  validateSearch: deliverySearch,
  component: latePage(async () => (await import('../pages/developers/webhooks/endpoint-page.tsx')).EndpointPage),
});

const connections = createRoute({
  getParentRoute: () => app,
  path: '/developers/connections',
  component: latePage(
    async () => (await import('../pages/developers/connections/connections-page.tsx')).ConnectionsPage,
  ),
});
const connection = createRoute({
  getParentRoute: () => app,
  path: '/developers/connections/$connectionId',
  component: latePage(async () => (await import('../pages/developers/connections/connection-page.tsx')).ConnectionPage),
});

const routing = createRoute({
  getParentRoute: () => app,
  path: '/developers/routing',
  component: latePage(async () => (await import('../pages/developers/routing/routing-page.tsx')).RoutingPage),
});

const operations = createRoute({
  getParentRoute: () => app,
  path: '/operations',
  validateSearch: operationsSearch,
  component: latePage(async () => (await import('../pages/operations/operations-page.tsx')).OperationsPage),
});
const events = createRoute({
  getParentRoute: () => app,
  path: '/developers/events',
  validateSearch: eventsSearch,
  component: latePage(async () => (await import('../pages/streams/events-page.tsx')).EventsPage),
});
const sandbox = createRoute({
  getParentRoute: () => app,
  path: '/developers/sandbox',
  validateSearch: sandboxSearch,
  component: latePage(async () => (await import('../pages/sandbox/sandbox-page.tsx')).SandboxPage),
});

const proof = createRoute({
  getParentRoute: () => app,
  path: '/proof',
  component: latePage(async () => (await import('../pages/proof/proof-page.tsx')).ProofPage),
});

const requests = createRoute({
  getParentRoute: () => app,
  path: '/developers/requests',
  component: latePage(async () => (await import('../pages/requests/requests-page.tsx')).RequestsPage),
});

/** Every other path: the frame stays around the words. */
const elsewhere = createRoute({ getParentRoute: () => app, path: '$', component: NotFound });

const payments = createRoute({
  getParentRoute: () => app,
  path: '/payments',
  validateSearch: paymentSearch,
  component: latePage(async () => (await import('../pages/payments/payments-page.tsx')).PaymentsPage),
});
const payment = createRoute({
  getParentRoute: () => app,
  path: '/payments/$paymentId',
  validateSearch: pastSearch,
  component: latePage(async () => (await import('../pages/payments/payment-page.tsx')).PaymentPage),
});
const customers = createRoute({
  getParentRoute: () => app,
  path: '/customers',
  validateSearch: customerSearch,
  component: latePage(async () => (await import('../pages/customers/customers-page.tsx')).CustomersPage),
});
const agreements = createRoute({
  getParentRoute: () => app,
  path: '/agreements',
  validateSearch: agreementSearch,
  component: latePage(async () => (await import('../pages/agreements/agreements-page.tsx')).AgreementsPage),
});
const agreement = createRoute({
  getParentRoute: () => app,
  path: '/agreements/$agreementId',
  component: latePage(async () => (await import('../pages/agreements/agreement-page.tsx')).AgreementPage),
});
const disputes = createRoute({
  getParentRoute: () => app,
  path: '/disputes',
  validateSearch: disputeSearch,
  component: latePage(async () => (await import('../pages/disputes/disputes-page.tsx')).DisputesPage),
});
const clientSessions = createRoute({
  getParentRoute: () => app,
  path: '/client-sessions',
  validateSearch: sessionSearch,
  component: latePage(
    async () => (await import('../pages/client-sessions/client-sessions-page.tsx')).ClientSessionsPage,
  ),
});
const clientSession = createRoute({
  getParentRoute: () => app,
  path: '/client-sessions/$sessionId',
  component: latePage(async () => (await import('../pages/client-sessions/client-session-page.tsx')).ClientSessionPage),
});
const paymentLinks = createRoute({
  getParentRoute: () => app,
  path: '/payment-links',
  validateSearch: paymentLinkSearch,
  component: latePage(async () => (await import('../pages/payment-links/payment-links-page.tsx')).PaymentLinksPage),
});
const instruments = createRoute({
  getParentRoute: () => app,
  path: '/instruments',
  validateSearch: instrumentSearch,
  component: latePage(async () => (await import('../pages/instruments/instruments-page.tsx')).InstrumentsPage),
});
const instrument = createRoute({
  getParentRoute: () => app,
  path: '/instruments/$token',
  component: latePage(async () => (await import('../pages/instruments/instrument-page.tsx')).InstrumentPage),
});

const account = createRoute({
  getParentRoute: () => app,
  path: '/account',
  component: latePage(async () => (await import('../pages/account/account-page.tsx')).AccountPage),
});
const users = createRoute({
  getParentRoute: () => app,
  path: '/users',
  component: latePage(async () => (await import('../pages/users/users-page.tsx')).UsersPage),
});

const routeTree = root.addChildren([
  app.addChildren([
    elsewhere,
    overview,
    account,
    users,
    keys,
    webhooks,
    webhookEndpoint,
    connections,
    routing,
    connection,
    requests,
    operations,
    proof,
    events,
    sandbox,
    payments,
    payment,
    customers,
    agreements,
    agreement,
    disputes,
    clientSessions,
    clientSession,
    paymentLinks,
    instruments,
    instrument,
  ]),
]);

function plainSearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const text = new URLSearchParams(pairs).toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return text === '' ? '' : `?${text}`;
}

export const router = createRouter({
  routeTree,
  basepath: '/dashboard',
  // Values as they are, `?last_4_digits=0042`: the router's own way would write some of them as JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: plainSearch,
  defaultPreload: 'intent',
  defaultErrorComponent: PageFault,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: typeof router;
  }
}
