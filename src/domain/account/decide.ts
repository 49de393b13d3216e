// Decisions on an account.
import { refuseCardNumber } from '../card-number/check.ts';
import { accept, type Decision } from '../decider.ts';
import type { AccountEvent } from './events.ts';
import type { Account } from './state.ts';

/** Makes the account; a repetition makes no event. `name` has 1 to 255 characters; CardNumberNotAllowed for a card number in it. */
export const createAccount =
  (name: string) =>
  (account: Account): Decision<AccountEvent> =>
    account.status === 'absent' ? (refuseCardNumber(name) ?? accept({ type: 'AccountCreated', data: { name } })) : accept();
