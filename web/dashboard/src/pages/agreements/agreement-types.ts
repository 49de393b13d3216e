// The parts of an agreement, as the API has them.
import type { components } from '../../app/api-types.d.ts';

export type Agreement = components['schemas']['Agreement'];
export type Period = NonNullable<Agreement['periods']>[number];
export type ChargeTry = components['schemas']['AgreementTries']['data'][number];
export type RevenueAtRisk = components['schemas']['RevenueAtRisk'];
