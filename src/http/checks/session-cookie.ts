// The cookie of a sign-in session: only the browser of the dashboard's own pages sends it, and no script reads it.
import type { IncomingHttpHeaders } from 'node:http';

export interface SessionCookie {
  /** The value that a request carries; undefined without one. */
  readonly read: (headers: IncomingHttpHeaders) => string | undefined;
  /** A header's name and value: the browser keeps the value until it is closed, or for 12 h at most. */
  readonly set: (value: string) => readonly string[];
  readonly clear: readonly string[];
}

const NAME = 'counterfoil_session';
const LASTS_SECONDS = 43_200;

/** `publicUrl`: over https the cookie is bound to the host and never travels in the clear. */
export function sessionCookie(publicUrl: string | undefined): SessionCookie {
  const isSecure = publicUrl?.startsWith('https:') === true;
  const name = isSecure ? `__Host-${NAME}` : NAME;
  const rest = `; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    read: ({ cookie = '' }) => {
      const values = cookie.split(';').flatMap((pair) => {
        const at = pair.indexOf('=');
        return pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
      });
      return values.length === 1 ? values[0] : undefined; // two of one name: somebody else has planted one
    },
    set: (value) => ['Set-Cookie', `${name}=${value}${rest}; Max-Age=${LASTS_SECONDS}`],
    clear: ['Set-Cookie', `${name}=${rest}; Max-Age=0`],
  };
}
