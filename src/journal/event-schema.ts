// The schema of a store's events: a store of another schema is refused before any of its events is read.
import { AppError } from '../app-error.ts';
import type { EventStore } from '../stores/event-store.ts';

/**
 * The schema of the events that this version writes and reads. Events change within a schema by upcasters; a new schema
 * needs a new store.
 */
export const EVENT_SCHEMA = 2;

/** The one stream that a store has of itself; its first event says the schema. */
const STORE_STREAM = 'store-0';
/** The schema of a store whose first event does not name one. */
const FIRST_SCHEMA = 1;

/** Thrown for a store of a version whose events this one cannot read. */
export class OtherEventSchema extends AppError {
  constructor(schema: number) {
    super(
      'OtherEventSchema',
      schema < EVENT_SCHEMA
        ? `The event store holds events of an earlier schema (${schema}; this version reads ${EVENT_SCHEMA}), and there is no upgrade. Start a new store (another data directory, database or EventStoreDB), and keep this store with the version that wrote it.`
        : `The event store holds events of a later schema (${schema}; this version reads ${EVENT_SCHEMA}). Use the version that wrote them, or a newer one.`,
    );
  }
}

/** Throws OtherEventSchema unless the schema, as the store's first event says it, is that of this version. */
export function checkEventSchema({ eventSchema = FIRST_SCHEMA }: { readonly eventSchema?: number }): void {
  if (eventSchema !== EVENT_SCHEMA) throw new OtherEventSchema(eventSchema);
}

/**
 * Checks the schema of the store itself. An empty store passes. So does a store whose first event cannot be read:
 * audits have to open a log that was altered. Throws OtherEventSchema, StoreUnavailable.
 */
export async function checkEventSchemaOf(events: Pick<EventStore, 'read'>): Promise<void> {
  for await (const { type, data } of events.read(STORE_STREAM, -1)) {
    const created = type === 'StoreCreated' ? parsed(data) : undefined;
    if (created !== undefined) checkEventSchema(created);
    return;
  }
}

function parsed(data: string): { readonly eventSchema?: number } | undefined {
  try {
    const made: unknown = JSON.parse(data);
    if (typeof made !== 'object' || made === null) return undefined;
    return 'eventSchema' in made && typeof made.eventSchema === 'number' ? { eventSchema: made.eventSchema } : {};
  } catch {
    return undefined;
  }
}
