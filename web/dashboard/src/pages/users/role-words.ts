// What each role may do, in a line.
export const ROLE_WORDS = {
  owner: { name: 'Owner', does: 'Everything, including users and unknown outcomes' },
  developer: { name: 'Developer', does: 'Manages API keys, sandbox and rebuilds; reads requests, events and payments' },
  support: { name: 'Support', does: 'Reads payments; captures, cancels and refunds' },
  auditor: { name: 'Auditor', does: 'Reads payments, their events and streams, and exports payments as CSV' },
} as const;
