// The stub of the tests as any processor: against an acquirer on a real port.
import { connectionAt } from '../../../src/processors/connections.ts';
import { liveWorld } from '../../../src/world.ts';
import { processorConformance } from '../../contract/processor.suite.ts';
import { announcementOf, CARD, openAcquirer, SECRETS } from './acquirer.ts';
import { openStub } from './stub.ts';

const NOW = Date.UTC(2026, 4, 1, 12);
const card = (number: string) => ({ number, expirationMonth: '12', expirationYear: '2039', cvc: '123' });

processorConformance('the stub', async (through) => {
  const acquirer = await openAcquirer();
  const stub = openStub({ url: await through(acquirer.url), world: liveWorld, secrets: SECRETS });
  return {
    processor: stub,
    connection: connectionAt('stub'),
    card: card(CARD),
    refusedCard: card('4000000000000002'),
    effects: async () =>
      acquirer.transactions.flatMap(({ state, reference, amount, currency: currencyCode }) =>
        state === 'done' ? [{ reference, amount, currencyCode }] : [],
      ),
    notify(reference, id) {
      const transaction = { id, reference, operation: 'authorization', state: 'done', amount: 1_000, currency: 'EUR' };
      return { ...announcementOf([{ type: 'decided', id: `n-${reference}`, at: NOW, transaction }], NOW), now: NOW };
    },
    async close() {
      stub.close();
      await acquirer.close();
    },
  };
});
