// The guarantees to every receiver, however messages arrive: an unbroken chain of sequences, and the same words each
// time.

export interface Told {
  /** The whole body, character by character. */
  readonly text: string;
  readonly eventId: string;
  readonly paymentId: string;
  readonly sequence: number;
  readonly previousSequence?: number;
}

/**
 * The broken promises to one receiver: from the last message of each payment `previousSequence` leads back to the
 * first, past every message that came; a message that came twice said the same twice, and an event made one message.
 */
export function brokenChains(received: readonly Told[]): readonly string[] {
  const broken: string[] = [];
  const events = new Map<string, Told>();
  const payments = new Map<string, Map<number, Told>>();
  for (const told of received) {
    const { eventId, paymentId, sequence, text } = told;
    if ((events.get(eventId) ?? told).text !== text) broken.push(`${eventId} was told in other words: ${text}`);
    events.set(eventId, told);
    const messages = payments.get(paymentId) ?? new Map<number, Told>();
    payments.set(paymentId, messages);
    const other = messages.get(sequence);
    if (other !== undefined && other.eventId !== eventId)
      broken.push(`${paymentId}@${sequence} was told twice: ${other.eventId}, ${eventId}`);
    messages.set(sequence, told);
  }
  for (const [paymentId, messages] of payments) {
    const seen = new Set<number>();
    let at: number | undefined = Math.max(...messages.keys());
    while (at !== undefined && messages.has(at) && !seen.has(at)) {
      seen.add(at);
      at = messages.get(at)?.previousSequence;
    }
    if (at !== undefined) broken.push(`${paymentId}@${at} never came, which a later message names`);
    if (seen.size < messages.size)
      broken.push(
        `the chain of ${paymentId} goes past ${[...messages.keys()].filter((one) => !seen.has(one)).join(', ')}`,
      );
  }
  return broken;
}
