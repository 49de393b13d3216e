// The event store in memory keeps the contract of every event store.
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { eventStoreContract } from '../contract/event-store.suite.ts';

eventStoreContract('the memory event store', async () => {
  const store = openMemoryEventStore();
  return { store, dispose: () => store.close() };
});
