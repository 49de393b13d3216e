// The service's words on an event as a page writes them: times in the viewer's zone, amounts in their currency's form.
import { CURRENT, WITHDRAWN } from '../../../../../src/domain/currency.ts';
import { minorUnits } from '../../parts/minor-units.ts';
import { moneyText } from '../../parts/money.tsx';
import { whenText } from '../../parts/when.tsx';

const UTC_TIME = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g;
const CURRENCIES: ReadonlySet<string> = new Set([...CURRENT, ...WITHDRAWN]);
const AMOUNT = /\b(\d+(?:\.\d+)?) ([A-Z]{3})\b/g;

/** Not for the words of a person: those are shown as they were written. */
export const asOnPage = (told: string): string =>
  told
    .replace(UTC_TIME, (_, day: string, time: string) => whenText({ ms: Date.parse(`${day}T${time}Z`), as: 'second' }))
    .replace(AMOUNT, (written, decimal: string, currencyCode: string) => {
      const amount = CURRENCIES.has(currencyCode) ? minorUnits(decimal, currencyCode) : undefined;
      return amount === undefined ? written : moneyText({ amount, currencyCode });
    });
