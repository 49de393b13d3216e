// The roles of the dashboard's users. A route names the roles that may call it; no role contains another.
export const ROLES = ['owner', 'developer', 'support', 'auditor'] as const;

export type Role = (typeof ROLES)[number];
