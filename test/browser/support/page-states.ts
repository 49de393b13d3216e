// Every page of the dashboard in each of its states, for pictures that people look at.
import type { Page } from 'playwright-core';
import type { ExampleAccount } from './example-account.ts';

export interface PictureState {
  readonly name: string;
  /** Without /dashboard. */
  readonly path: string;
  readonly isEmptyAccount?: boolean;
  readonly isSignedOut?: boolean;
  /** slow: no answer comes; lost: the service is not there. */
  readonly api?: 'slow' | 'lost';
  readonly steps?: (page: Page) => Promise<void>;
}

/** Pages that show a list or figures: also empty, while they load, and without the service. */
const LISTS = {
  overview: '/',
  payments: '/payments',
  customers: '/customers',
  agreements: '/agreements',
  sessions: '/client-sessions',
  instruments: '/instruments',
  keys: '/developers/keys',
  requests: '/developers/requests',
  events: '/developers/events',
  sandbox: '/developers/sandbox',
  operations: '/operations',
  proof: '/proof',
  users: '/users',
  account: '/account',
} as const;

export const pageStates = ({
  captured,
  refunded,
  declined,
  pending,
  token,
}: ExampleAccount): readonly PictureState[] => [
  ...Object.entries(LISTS).flatMap(([name, path]): readonly PictureState[] => [
    { name, path },
    { name: `${name}-empty`, path, isEmptyAccount: true },
    { name: `${name}-slow`, path, api: 'slow' },
    { name: `${name}-lost`, path, api: 'lost' },
  ]),
  ...Object.entries({ captured, refunded, declined, pending }).map(([name, id]) => ({
    name: `payment-${name}`,
    path: `/payments/${id}`,
  })),
  { name: 'payments-none', path: '/payments?order_id=nothing-has-this-id' },
  {
    name: 'payments-filters',
    path: '/payments',
    steps: (page) => page.getByRole('button', { name: 'Filters' }).click(),
  },
  { name: 'payment-absent', path: '/payments/pay_none' },
  {
    name: 'payment-refund',
    path: `/payments/${captured}`,
    steps: (page) => page.getByRole('button', { name: 'Refund' }).click(),
  },
  { name: 'instrument', path: `/instruments/${token}` },
  ...['parked', 'streams', 'nodes'].map((tab) => ({ name: `operations-${tab}`, path: `/operations?tab=${tab}` })),
  { name: 'operations-rebuild', path: '/operations?rebuild=payments' },
  { name: 'operations-stream', path: `/operations?tab=streams&stream=${captured}` },
  ...['faults', 'clock', 'ledger', 'diff'].map((tab) => ({
    name: `sandbox-${tab}`,
    path: `/developers/sandbox?tab=${tab}`,
  })),
  {
    name: 'key-new',
    path: '/developers/keys',
    steps: (page) => page.getByRole('button', { name: 'Create' }).first().click(),
  },
  { name: 'invite', path: '/users', steps: (page) => page.getByRole('button', { name: 'Invite' }).first().click() },
  { name: 'nowhere', path: '/nowhere' },
  { name: 'search', path: '/', steps: (page) => page.keyboard.press('/') },
  { name: 'help', path: '/', steps: (page) => page.keyboard.press('?') },
  { name: 'sign-in', path: '/', isSignedOut: true },
];
