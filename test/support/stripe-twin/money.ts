// Amounts as Stripe takes them: its own number of digits for each currency, a minimum, and at most eight digits.
import { invalid } from './failure.ts';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const NO_DECIMALS = words('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf');
const THREE_DECIMALS = words('bhd jod kwd omr tnd');
/** Written with two decimals that are always 00. */
const WHOLE_OF_TWO = words('isk ugx');
const TWO_DECIMALS = words(
  'usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bmd bnd bob brl bsd bwp byn bzd cad cdf chf cny cop ' +
    'crc cve czk dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gtq gyd hkd hnl htg huf idr ils inr jmd kes kgs khr ' +
    'kyd kzt lak lbp lkr lrd lsl mad mdl mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd pab pen pgk ' +
    'php pkr pln qar ron rsd rub sar sbd scr sek sgd shp sle sos srd std szl thb tjs top try ttd twd tzs uah uyu uzs ' +
    'wst xcd yer zar zmw',
);
const LARGEST = 99_999_999;

/** Throws if the twin knows no such currency. */
export function checkCurrency(currency: string): void {
  const isKnown = [NO_DECIMALS, THREE_DECIMALS, WHOLE_OF_TWO, TWO_DECIMALS].some((one) => one.has(currency));
  if (!isKnown) throw invalid(`Invalid currency: ${currency}.`, { param: 'currency' });
}

/** Throws if the digits are not those of the currency. */
export function checkDigits(amount: number, currency: string, param = 'amount'): void {
  const step = THREE_DECIMALS.has(currency) ? 10 : WHOLE_OF_TWO.has(currency) ? 100 : 1;
  if (amount % step !== 0)
    throw invalid(`Invalid amount: ${currency} amounts are multiples of ${step}.`, {
      code: 'parameter_invalid_integer',
      param,
    });
}

/** Throws if the amount of a new PaymentIntent is too small or too large. */
export function checkSize(amount: number, currency: string): void {
  const smallest = THREE_DECIMALS.has(currency) ? 500 : WHOLE_OF_TWO.has(currency) ? 100 : 50;
  if (amount < smallest)
    throw invalid('Amount must convert to at least 50 cents.', { code: 'amount_too_small', param: 'amount' });
  if (amount > LARGEST)
    throw invalid('Amount must be no more than 8 digits.', { code: 'amount_too_large', param: 'amount' });
}
