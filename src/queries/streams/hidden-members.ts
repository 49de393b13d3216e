// Events and states for the dashboard: secrets that sign in, sign or unwrap stay in the store, including their hashes.

/** Members that no page needs: hashes of secrets and passwords, wrapped keys, one-time codes. */
const SECRET = /hash$|hashes$|secret|password|totp|wrapped|recovery|credential/i;
const HIDDEN = '(hidden)';

/** The value with the texts under such names replaced. */
export function withoutSecrets(value: unknown, name = ''): unknown {
  if (SECRET.test(name) && value !== undefined && value !== null && typeof value !== 'boolean') return hidden(value);
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, its]) => [member, withoutSecrets(its, member)]));
}

const hidden = (value: unknown): unknown => (Array.isArray(value) ? value.map(() => HIDDEN) : HIDDEN);

/** True if a path such as `$.secret.hash` leads through such a name. */
export const isSecretPath = (path: string): boolean => path.split(/[.[\]]/).some((name) => SECRET.test(name));
