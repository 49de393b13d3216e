// The name under which the answer about the user's own account is kept.
export const ACCOUNT_KEY = ['account'] as const;
