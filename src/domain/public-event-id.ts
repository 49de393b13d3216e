// An event's id as callers know it: `evt_` and the UUID that the log has (contract §1).
const PREFIX = 'evt_';

export const publicEventId = (eventId: string): string => `${PREFIX}${eventId}`;

/** The UUID; a text without the prefix is one already. */
export const bareEventId = (id: string): string => (id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id);
