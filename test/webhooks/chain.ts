// The guarantees to every receiver, however messages arrive: an unbroken chain of sequences, and the same words each
// time.

export interface Told {
  /** The whole body, character by character. */
  readonly text: string;
  readonly eventId: string;
  /** The payment, or the agreement. */
  readonly subjectId: string;
  readonly sequence: number;
  readonly previousSequence?: number;
}

/**
 * The broken promises to one receiver: from the last message of each subject `previousSequence` leads back to the
 * first, past every message that came; a message that came twice said the same twice, and an event made one message.
 */
export function brokenChains(received: readonly Told[]): readonly string[] {
  const broken: string[] = [];
  const events = new Map<string, Told>();
  const subjects = new Map<string, Map<number, Told>>();
  for (const told of received) {
    const { eventId, subjectId, sequence, text } = told;
    if ((events.get(eventId) ?? told).text !== text) broken.push(`${eventId} was told in other words: ${text}`);
    events.set(eventId, told);
    const messages = subjects.get(subjectId) ?? new Map<number, Told>();
    subjects.set(subjectId, messages);
    const other = messages.get(sequence);
    if (other !== undefined && other.eventId !== eventId)
      broken.push(`${subjectId}@${sequence} was told twice: ${other.eventId}, ${eventId}`);
    messages.set(sequence, told);
  }
  for (const [subjectId, messages] of subjects) {
    const seen = new Set<number>();
    let at: number | undefined = Math.max(...messages.keys());
    while (at !== undefined && messages.has(at) && !seen.has(at)) {
      seen.add(at);
      at = messages.get(at)?.previousSequence;
    }
    if (at !== undefined) broken.push(`${subjectId}@${at} never came, which a later message names`);
    if (seen.size < messages.size)
      broken.push(
        `the chain of ${subjectId} goes past ${[...messages.keys()].filter((one) => !seen.has(one)).join(', ')}`,
      );
  }
  return broken;
}
