// The acquirer Stub in two steps: an order is made, its name is put on record, and then it is confirmed. Our reference
// fences what is lost.
import { z } from 'zod';
import type { LookUp } from '../../../src/domain/payment/outcome.ts';
import type { HttpAnswer } from '../../../src/processors/http-call.ts';
import { lookedUp, openStub, performed, type Stub, type StubOptions } from './stub.ts';
import { outcomeOf, readAs, Transaction } from './wire.ts';

const Order = z.object({ id: z.string().min(1).max(255), transaction: Transaction.optional() });
const orderIn = (answer: HttpAnswer): z.infer<typeof Order> | undefined =>
  answer.kind === 'answered' && answer.status === 200 ? readAs(Order, answer.body) : undefined;

/** Connects to nothing yet. */
export function openTwoStepStub(options: StubOptions): Stub {
  const stub = openStub(options);
  const { ask } = stub;
  return {
    ...stub,
    capabilities: (connection) => ({ ...stub.capabilities(connection), fenceProves: true }),
    async prepare({ reference, amount, currencyCode: currency }, call) {
      const answer = await ask('POST', '/v1/orders', call, { reference, amount, currency });
      const order = orderIn(answer);
      if (order !== undefined) return { kind: 'prepared', processorTransactionId: order.id };
      const { kind } = performed(answer);
      return { kind: kind === 'not_sent' ? kind : 'unknown', detail: 'no order was made' };
    },
    async perform(request, call) {
      if (request.operation !== 'authorization') return stub.perform(request, call);
      const { processorTransactionId: name, reference, processorToken: token } = request;
      if (name === undefined) return { kind: 'not_sent', detail: 'no order is on record' };
      return performed(await ask('POST', `/v1/orders/${name}/confirm`, call, { reference, token }));
    },
    async lookUp(request, call) {
      if (request.operation !== 'authorization') return stub.lookUp(request, call);
      const { processorTransactionId: name } = request;
      // Only what has a name on record is ever confirmed.
      return name === undefined ? { kind: 'not_found' } : read(await ask('GET', `/v1/orders/${name}`, call));
    },
    fence: async ({ reference }, call) => lookedUp(await ask('POST', `/v1/fences/${reference}`, call)),
  };
}

/** By the order itself: an answer without it settles nothing. */
function read(answer: HttpAnswer): LookUp {
  const order = orderIn(answer);
  if (order === undefined) return { kind: 'unreachable', detail: 'the order was not shown' };
  return order.transaction === undefined ? { kind: 'not_found' } : outcomeOf(order.transaction);
}
