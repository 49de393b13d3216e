// The routes of the dashboard's pages of payments, client sessions and instruments.
import type { Route } from '../../route.ts';
import { type DashboardSessionNeeds, dashboardSessionRoutes } from './client-sessions.ts';
import { type DashboardInstrumentNeeds, dashboardInstrumentRoutes } from './instruments.ts';
import { dashboardPaymentOperations, type PaymentOperationNeeds } from './payment-operations.ts';
import { dashboardPaymentPast, type PaymentPastNeeds } from './payment-past.ts';
import { type DashboardPaymentNeeds, dashboardPaymentRoutes } from './payments.ts';

export interface PaymentPagesNeeds {
  readonly payments: Omit<PaymentOperationNeeds, 'readPayment'>;
  readonly queries: DashboardPaymentNeeds & PaymentPastNeeds & DashboardSessionNeeds & DashboardInstrumentNeeds;
}

export const paymentPagesRoutes = ({ payments, queries }: PaymentPagesNeeds): readonly Route[] => [
  ...dashboardPaymentRoutes(queries),
  ...dashboardPaymentPast(queries),
  ...dashboardPaymentOperations({ ...payments, ...queries }),
  ...dashboardSessionRoutes(queries),
  ...dashboardInstrumentRoutes(queries),
];
