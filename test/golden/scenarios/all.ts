// Every stream of the golden log; a new event, or a new version of one, is a new scenario here.
import { accessScenarios } from './access.ts';
import { actScenarios } from './acts.ts';
import { agreementScenarios } from './agreements.ts';
import { instrumentScenarios } from './instruments.ts';
import { noteScenarios } from './notes.ts';
import { notificationScenarios } from './notifications.ts';
import { paymentScenarios } from './payments.ts';
import { savedViewScenarios } from './saved-views.ts';
import type { Scenario } from './scenario.ts';
import { sessionScenarios } from './sessions.ts';
import { userScenarios } from './users.ts';
import { webhookScenarios } from './webhooks.ts';

export const allScenarios: readonly Scenario[] = [
  ...accessScenarios,
  ...sessionScenarios,
  ...instrumentScenarios,
  ...notificationScenarios,
  ...paymentScenarios,
  ...agreementScenarios,
  ...noteScenarios,
  ...savedViewScenarios,
  ...userScenarios,
  ...actScenarios,
  ...webhookScenarios,
];
