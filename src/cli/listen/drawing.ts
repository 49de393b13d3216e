// One relayed message as `listen` shows it: a line for people, with colours on a terminal, or a line of JSON; and the
// sums for its last line.
import { styleText } from 'node:util';
import { formatTime } from '../../world.ts';
import { oneLine } from '../output.ts';
import type { Relayed } from './relay.ts';

/** Columns: the longest type of message; three digits on each side of the arrow. */
const TYPE = 27;
const NUMBER = 3;
/** With an id of 36 characters a line needs so many. */
const ROOM_FOR_IDS = 105;
const ID_END = 6;

/** `columns`: as of tables. */
export function heading(columns: number): string {
  return ['TIME    ', 'TYPE'.padEnd(TYPE), 'SUBJECT'.padEnd(idWidth(columns)), 'SEQUENCE ', 'ANSWER'].join('  ');
}

/** Without its line end. Colours only where stdout is a terminal that takes them. */
export function drawn(relayed: Relayed, columns: number): string {
  const { eventType, sequence, previousSequence, payment, agreement } = relayed.delivery.told;
  const whole = (payment ?? agreement)?.id ?? '';
  const id = whole.length <= idWidth(columns) ? whole : `${whole.slice(0, 4)}…${whole.slice(-ID_END)}`;
  const before = previousSequence === undefined ? '' : `← ${previousSequence}`;
  const cells = [
    styleText('dim', formatTime(relayed.at).slice(11, 19)),
    oneLine(eventType).padEnd(TYPE),
    oneLine(id).padEnd(idWidth(columns)),
    `${String(sequence).padStart(NUMBER)} ${before.padEnd(NUMBER + 2)}`,
  ];
  const { text, colour } = answerOf(relayed);
  return `${cells.join('  ')}  ${styleText(colour, text)}`;
}

const idWidth = (columns: number): number => (columns >= ROOM_FOR_IDS ? 36 : 'pay_…'.length + ID_END);

function answerOf(relayed: Relayed): { readonly text: string; readonly colour: 'green' | 'yellow' | 'red' } {
  switch (relayed.kind) {
    case 'refused':
      return { text: '500, retried', colour: 'yellow' };
    case 'lost':
      return { text: '204, dropped', colour: 'yellow' };
    case 'sent': {
      const { answer, sent } = relayed;
      if ('fault' in answer)
        return { text: answer.status === 502 ? '502, no receiver' : '504, no response', colour: 'red' };
      const { status, ms } = answer;
      const took = `${status} ${`${ms} ms`.padStart(7)}`;
      return {
        text: sent === 'first' ? took : `${took} ${sent}`,
        colour: status >= 200 && status < 300 ? 'green' : 'red',
      };
    }
    default:
      return relayed satisfies never;
  }
}

/** One line of JSON, with its end. */
export function jsonOf(relayed: Relayed): string {
  const { eventId, eventType, sequence, previousSequence = null, payment, agreement } = relayed.delivery.told;
  const told = {
    at: formatTime(relayed.at),
    eventId,
    eventType,
    paymentId: payment?.id ?? null,
    agreementId: agreement?.id ?? null,
    sequence,
    previousSequence,
  };
  return `${JSON.stringify({ ...told, ...outcomeOf(relayed) })}\n`;
}

function outcomeOf(relayed: Relayed): object {
  if (relayed.kind !== 'sent')
    return { sent: relayed.kind, status: relayed.kind === 'refused' ? 500 : 204, ms: null, fault: null };
  const { sent, answer } = relayed;
  return { sent, status: answer.status, ms: answer.ms, fault: 'fault' in answer ? answer.fault : null };
}

export class ListenCounts {
  readonly #messages = new Set<string>();
  /** Refused messages that have not come again. */
  readonly #awaited = new Set<string>();
  #sent = 0;
  #taken = 0;
  #refused = 0;
  #lost = 0;

  add(relayed: Relayed): void {
    const { eventId } = relayed.delivery.told;
    this.#messages.add(eventId);
    switch (relayed.kind) {
      case 'refused':
        this.#refused += 1;
        this.#awaited.add(eventId);
        return;
      case 'lost':
        this.#lost += 1;
        return;
      case 'sent':
        this.#sent += 1;
        this.#awaited.delete(eventId);
        if (relayed.answer.status >= 200 && relayed.answer.status < 300) this.#taken += 1;
        return;
      default:
        relayed satisfies never;
    }
  }

  /** In a sentence or two. */
  summary(): string {
    const parts = [`sent ${times(this.#sent)}`, `accepted ${times(this.#taken)}`];
    if (this.#refused > 0) parts.push(`${this.#refused} refused first`);
    if (this.#lost > 0) parts.push(`${this.#lost} dropped`);
    const left =
      this.#awaited.size === 0 ? '' : ` ${this.#awaited.size} of the refused messages had not arrived again yet.`;
    return `Ended. ${this.#messages.size} message${this.#messages.size === 1 ? '' : 's'}: ${parts.join(', ')}.${left}`;
  }
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);
