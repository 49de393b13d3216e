// What the card networks saw, as `sandbox network` prints it.

import { formatTime } from '../../world.ts';
import type { CommandResult } from '../output.ts';
import { none, table } from '../table.ts';
import type { CardSeen, LimitSeen } from './network-view.ts';

const DAY_MS = 86_400_000;

export function seenResult(cards: readonly CardSeen[]): CommandResult {
  const fines = cards.reduce((sum, { fined }) => sum + fined.length, 0);
  const data = cards.map(({ fined, limits, ...card }) => ({
    ...card,
    limits: limits.map(({ most, withinMs, counted }) => ({ most, days: withinMs / DAY_MS, counted })),
    fined: fined.map(({ at, ...one }) => ({ ...one, at: formatTime(at) })),
  }));
  return {
    json: { data, fines },
    text: cards.length === 0 ? none('charges without the customer') : asText(cards, fines),
  };
}

function asText(cards: readonly CardSeen[], fines: number): string {
  const sum = fines === 0 ? 'No network has fined a try.' : `The networks fine ${fines} of the tries.`;
  return `${seenTable(cards)}\n${sum}`;
}

/** `room`: columns of the terminal. */
export const seenTable = (cards: readonly CardSeen[], room?: number): string =>
  table(
    ['card', 'network', 'tries', 'declined', 'named', 'linked', 'limits', 'fines', { spare: 'method' }],
    cards.map(({ card, network = '', tries, declined, named, linked, limits, fined, token }) => [
      card,
      network,
      String(tries),
      String(declined),
      `${named} of ${tries}`,
      network === 'MASTERCARD' ? `${linked} of ${tries}` : '',
      limits.map(inWords).join(', '),
      String(fined.length),
      token,
    ]),
    room,
  );

const inWords = ({ most, withinMs, counted }: LimitSeen): string => `${counted} of ${most} in ${withinMs / DAY_MS} d`;
