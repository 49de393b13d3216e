// Every read model there is: the engine follows and rebuilds these.
import { accounts } from './accounts.ts';
import { apiKeys } from './api-keys.ts';
import { clientSessions } from './client-sessions.ts';
import { customerWallets } from './customer-wallets.ts';
import { dailyTotals } from './daily-totals.ts';
import { notifications } from './notifications.ts';
import { paymentFigures } from './payment-figures.ts';
import { paymentInstruments } from './payment-instruments.ts';
import { payments } from './payments.ts';
import { users } from './users.ts';

export const allProjections = [
  accounts,
  apiKeys,
  users,
  clientSessions,
  paymentInstruments,
  customerWallets,
  payments,
  notifications,
  dailyTotals,
  paymentFigures,
] as const;
