// The user of a request to the dashboard, as authentication finds it.
import type { Role } from '../../domain/user/roles.ts';

/** A user of the dashboard in one of the user's sessions. */
export interface UserHolder {
  readonly accountId: string;
  readonly userId: string;
  readonly role: Role;
  readonly sessionId: string;
  /** When the password was last given in this session, by the machine's clock, ms. */
  readonly confirmedAt: number;
  /** That was a few minutes ago at most. */
  readonly isConfirmed: boolean;
  /** The role needs two-factor sign-in here, and the user has not set it up: nothing else is possible before. */
  readonly mustEnrol: boolean;
}
