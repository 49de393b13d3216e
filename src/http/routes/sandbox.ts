// /sandbox: what the sandbox processor did and what its cards do; mounted in test mode only (contract §2, sandbox-processor.md).
import { z } from 'zod';
import { Amount } from '../../domain/money.ts';
import { formatTime } from '../../world.ts';
import type { SandboxInspection } from '../api-service.ts';
import { found, type Route, route } from '../route.ts';

const LedgerLine = z.strictObject({
  reference: z.string(),
  operation: z.string(),
  amount: Amount,
  currencyCode: z.string(),
  outcome: z.string(),
  at: z.iso.datetime({ precision: 3 }),
});
const Ledger = z.strictObject({ data: z.array(LedgerLine) }).meta({ id: 'SandboxLedger' });
const Scenario = z.strictObject({ numbers: z.array(z.string()).min(1), title: z.string(), outcome: z.string() });
const Scenarios = z.strictObject({ data: z.array(Scenario) }).meta({ id: 'SandboxScenarios' });

const common = { tag: 'Sandbox', method: 'GET', scope: 'third_party:webhook_trigger', request: z.object({}) } as const;

export const sandboxRoutes = (sandbox: SandboxInspection): readonly Route[] => [
  route({
    ...common,
    path: '/sandbox/ledger',
    summary: "The sandbox's own books",
    answer: Ledger,
    handle: async () => found({ data: (await sandbox.ledger()).map((line) => ({ ...line, at: formatTime(line.at) })) }),
  }),
  route({
    ...common,
    path: '/sandbox/scenarios',
    summary: 'Every test card and what it does',
    answer: Scenarios,
    handle: () => found({ data: sandbox.scenarios().map(({ numbers, title, outcome }) => ({ numbers: [...numbers], title, outcome })) }),
  }),
];
