// What each role may do, in a line.
export const ROLE_WORDS = {
  owner: { name: 'Owner', does: 'Everything, users and unknown outcomes included' },
  developer: { name: 'Developer', does: 'API keys, request log, sandbox, rebuilds and events; reads payments' },
  support: { name: 'Support', does: 'Reads payments; captures, cancels and refunds' },
  auditor: { name: 'Auditor', does: 'Reads payments, their events and streams, and exports payments as CSV' },
} as const;
