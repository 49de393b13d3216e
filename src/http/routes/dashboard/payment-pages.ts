// The routes of the dashboard's pages of payments, client sessions and instruments.
import type { DisputeAnswers } from '../../../commands/payments/answer-dispute.ts';
import type { Queries } from '../../../queries/queries.ts';
import type { Route } from '../../route.ts';
import { type DashboardSessionNeeds, dashboardSessionRoutes } from './client-sessions.ts';
import { dashboardDisputeRoutes } from './disputes.ts';
import { type DashboardInstrumentNeeds, dashboardInstrumentRoutes } from './instruments.ts';
import { dashboardPaymentOperations, type PaymentOperationNeeds } from './payment-operations.ts';
import { dashboardPaymentPast, type PaymentPastNeeds } from './payment-past.ts';
import { type DashboardPaymentNeeds, dashboardPaymentRoutes } from './payments.ts';

export interface PaymentPagesNeeds {
  readonly payments: Omit<PaymentOperationNeeds, 'readPayment'> & DisputeAnswers;
  readonly queries: DashboardPaymentNeeds &
    PaymentPastNeeds &
    DashboardSessionNeeds &
    DashboardInstrumentNeeds &
    Pick<Queries, 'listDisputes'>;
}

export const paymentPagesRoutes = ({ payments, queries }: PaymentPagesNeeds): readonly Route[] => [
  ...dashboardPaymentRoutes(queries),
  ...dashboardPaymentPast(queries),
  ...dashboardPaymentOperations({ ...payments, ...queries }),
  ...dashboardDisputeRoutes({ ...payments, ...queries }),
  ...dashboardSessionRoutes(queries),
  ...dashboardInstrumentRoutes(queries),
];
