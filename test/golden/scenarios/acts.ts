// Acts on the service itself: each is a stream of one event, but a release, which is asked for again for other events.
import { actCategory } from '../../../src/domain/act.ts';
import { AWKWARD_TEXT, MAX } from './awkward.ts';
import { type Scenario, scenario } from './scenario.ts';

const parked = { projection: 'payments', stream: 'payment-pay_golden', revision: MAX };

export const actScenarios: readonly Scenario[] = [
  scenario(actCategory, 'act_rebuild', [
    { type: 'RebuildRequested', data: { projection: 'a-read-model-that-is-gone', dryRun: true } },
  ]),
  scenario(actCategory, 'act_retry', [{ type: 'ParkedStreamRetryRequested', data: parked }]),
  scenario(actCategory, 'act_discard', [
    { type: 'ParkedStreamDiscardRequested', data: { ...parked, projection: 'log', revision: 0 } },
  ]),
  scenario(actCategory, 'released-payment-pay_golden', [
    { type: 'ParkedStreamReleaseRequested', data: { stream: 'payment-pay_golden', revision: MAX } },
    { type: 'ParkedStreamReleaseRequested', data: { stream: 'payment-pay_golden', revision: 0 } },
  ]),
  scenario(actCategory, 'released-payment-pay_bounded', [
    { type: 'ParkedStreamReleaseRequested', data: { stream: 'payment-pay_bounded', revision: 2, upTo: 3 } },
    { type: 'ParkedStreamReleaseRequested', data: { stream: 'payment-pay_bounded', revision: 4, upTo: MAX } },
  ]),
  scenario(actCategory, 'act_faults', [
    {
      type: 'SandboxFaultsRequested',
      data: {
        seed: MAX,
        rules: [
          {
            match: { operation: 'capture', amount: MAX, chance: 0.5 },
            do: { phase: 'during_reply', fault: 'reset', times: 1 },
          },
          { match: { operation: AWKWARD_TEXT }, do: {} },
        ],
      },
    },
  ]),
  scenario(actCategory, 'act_no_faults', [{ type: 'SandboxFaultsRequested', data: { seed: 0, rules: [] } }]),
  scenario(actCategory, 'act_reset', [{ type: 'SandboxResetRequested', data: { allAccounts: true } }]),
  scenario(actCategory, 'act_faults_of_connection', [
    { type: 'SandboxFaultsRequested', data: { seed: 0, rules: [], connectionId: 'con_golden' } },
  ]),
  scenario(actCategory, 'act_reset_of_connection', [
    { type: 'SandboxResetRequested', data: { allAccounts: false, connectionId: 'con_golden' } },
  ]),
  scenario(actCategory, 'act_key_destruction', [
    { type: 'KeyDestructionRequested', data: { keyIds: ['0golden.1', AWKWARD_TEXT], because: 'erasure' } },
    { type: 'KeyDestructionRequested', data: { keyIds: [], because: 'restore' } },
    { type: 'KeyDestructionRequested', data: { keyIds: ['0golden.2'], because: 'earlier' } },
  ]),
  scenario(actCategory, 'act_shorter_log', [
    { type: 'ShorterLogAccepted', data: { end: '-1', seen: String(2n ** 63n) } },
  ]),
  scenario(actCategory, 'act_resend', [
    { type: 'WebhookResendRequested', data: { endpointId: 'we_golden', since: 1, asOf: 2 } },
  ]),
];
