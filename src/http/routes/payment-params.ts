// The path of one payment.
import { z } from 'zod';

export const params = z.object({ id: z.string().regex(/^pay_[0-9A-Za-z]{1,64}$/) });
