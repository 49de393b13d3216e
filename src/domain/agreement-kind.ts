// What an agreement is for. Networks and processors treat the three differently.
import { z } from 'zod';

export const AgreementKind = z.enum(['RECURRING', 'INSTALLMENT', 'UNSCHEDULED']).meta({
  description: 'RECURRING: at fixed times. INSTALLMENT: parts of one price. UNSCHEDULED: whenever the terms say.',
});
export type AgreementKind = z.infer<typeof AgreementKind>;
