// What a customer agrees to, as a sentence of the checkout in each of its languages (contract §14). The sentence is on
// record with the consent, because evidence is what was shown, not what a later version would show.
import { createHash } from 'node:crypto';
import type { ConsentLanguage, Frequency } from '../../domain/agreement-terms.ts';
import { formatMoney } from '../../domain/currency.ts';
import type { ProposedTerms } from '../sessions/agreed.ts';

/** What the sentence is made of. */
export interface AskedConsent {
  readonly terms: ProposedTerms;
  /** Undefined: nobody has named the account. */
  readonly shopName: string | undefined;
}

interface Wording {
  readonly shop: string;
  readonly atMost: (money: string) => string;
  readonly anyAmount: (currency: string) => string;
  readonly whenDue: string;
  /** `count`: how many of the unit a period is. */
  readonly every: (unit: Frequency, count: number) => string;
  readonly from: (day: string) => string;
  readonly until: (day: string) => string;
  readonly times: (count: number) => string;
  readonly sentence: (of: { readonly shop: string; readonly what: string; readonly description: string }) => string;
}

const everyOf =
  (one: Readonly<Record<Frequency, string>>, many: Readonly<Record<Frequency, string>>) =>
  (unit: Frequency, count: number): string =>
    count === 1 ? one[unit] : many[unit].replace('#', String(count));

const WORDINGS: Readonly<Record<ConsentLanguage, Wording>> = {
  en: {
    shop: 'this shop',
    atMost: (money) => `up to ${money}`,
    anyAmount: (currency) => `changing amounts in ${currency}`,
    whenDue: 'whenever it is due',
    every: everyOf(
      { DAY: 'every day', WEEK: 'every week', MONTH: 'every month', YEAR: 'every year' },
      { DAY: 'every # days', WEEK: 'every # weeks', MONTH: 'every # months', YEAR: 'every # years' },
    ),
    from: (day) => `from ${day}`,
    until: (day) => `until ${day}`,
    times: (count) => (count === 1 ? 'once' : `${count} times`),
    sentence: ({ shop, what, description }) =>
      `I agree that ${shop} charges the payment method of this payment later: ${what}, for “${description}”.`,
  },
  de: {
    shop: 'dieser Shop',
    atMost: (money) => `bis zu ${money}`,
    anyAmount: (currency) => `wechselnde Beträge in ${currency}`,
    whenDue: 'wann immer sie fällig sind',
    every: everyOf(
      { DAY: 'jeden Tag', WEEK: 'jede Woche', MONTH: 'jeden Monat', YEAR: 'jedes Jahr' },
      { DAY: 'alle # Tage', WEEK: 'alle # Wochen', MONTH: 'alle # Monate', YEAR: 'alle # Jahre' },
    ),
    from: (day) => `ab dem ${day}`,
    until: (day) => `bis zum ${day}`,
    times: (count) => `${count}-mal`,
    sentence: ({ shop, what, description }) =>
      `Ich stimme zu, dass ${shop} die Zahlungsart dieser Zahlung später belastet: ${what}, für „${description}“.`,
  },
  es: {
    shop: 'esta tienda',
    atMost: (money) => `hasta ${money}`,
    anyAmount: (currency) => `importes variables en ${currency}`,
    whenDue: 'cuando corresponda',
    every: everyOf(
      { DAY: 'cada día', WEEK: 'cada semana', MONTH: 'cada mes', YEAR: 'cada año' },
      { DAY: 'cada # días', WEEK: 'cada # semanas', MONTH: 'cada # meses', YEAR: 'cada # años' },
    ),
    from: (day) => `a partir del ${day}`,
    until: (day) => `hasta el ${day}`,
    times: (count) => (count === 1 ? 'una vez' : `${count} veces`),
    sentence: ({ shop, what, description }) =>
      `Acepto que ${shop} cobre más adelante con el medio de pago de este pago: ${what}, por «${description}».`,
  },
  fr: {
    shop: 'cette boutique',
    atMost: (money) => `jusqu’à ${money}`,
    anyAmount: (currency) => `des montants variables en ${currency}`,
    whenDue: 'à chaque échéance',
    every: everyOf(
      { DAY: 'chaque jour', WEEK: 'chaque semaine', MONTH: 'chaque mois', YEAR: 'chaque année' },
      { DAY: 'tous les # jours', WEEK: 'toutes les # semaines', MONTH: 'tous les # mois', YEAR: 'tous les # ans' },
    ),
    from: (day) => `à partir du ${day}`,
    until: (day) => `jusqu’au ${day}`,
    times: (count) => `${count} fois`,
    sentence: ({ shop, what, description }) =>
      `J’accepte que ${shop} débite plus tard le moyen de paiement de ce paiement : ${what}, pour « ${description} ».`,
  },
  it: {
    shop: 'questo negozio',
    atMost: (money) => `fino a ${money}`,
    anyAmount: (currency) => `importi variabili in ${currency}`,
    whenDue: 'quando è dovuto',
    every: everyOf(
      { DAY: 'ogni giorno', WEEK: 'ogni settimana', MONTH: 'ogni mese', YEAR: 'ogni anno' },
      { DAY: 'ogni # giorni', WEEK: 'ogni # settimane', MONTH: 'ogni # mesi', YEAR: 'ogni # anni' },
    ),
    from: (day) => `dal ${day}`,
    until: (day) => `fino al ${day}`,
    times: (count) => (count === 1 ? 'una volta' : `${count} volte`),
    sentence: ({ shop, what, description }) =>
      `Accetto che ${shop} addebiti in seguito il metodo di pagamento di questo pagamento: ${what}, per «${description}».`,
  },
};

/** A text and its SHA-256 in hex. */
interface ConsentText {
  readonly text: string;
  readonly textDigest: string;
}

export function consentText(asked: AskedConsent, language: ConsentLanguage): ConsentText {
  const { terms, shopName } = asked;
  const words = WORDINGS[language];
  const { startsAt, endsAt, count } = terms;
  const what = [
    `${amountIn(words, language, terms)} ${periodIn(words, asked)}`,
    ...(count === undefined ? [] : [words.times(count)]),
    ...(startsAt === undefined ? [] : [words.from(dayIn(language, startsAt))]),
    ...(endsAt === undefined ? [] : [words.until(dayIn(language, endsAt))]),
  ].join(', ');
  const shop = shopName === undefined ? words.shop : printable(shopName);
  const text = words.sentence({ shop, what, description: printable(terms.description) });
  return { text, textDigest: createHash('sha256').update(text).digest('hex') };
}

/** Without what would move other words of the sentence: line breaks, and marks of the direction of writing. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ').trim();

function amountIn(words: Wording, language: ConsentLanguage, terms: AskedConsent['terms']): string {
  const { amountRule, amount, currencyCode } = terms;
  if (amount === undefined) return words.anyAmount(currencyCode);
  const money = formatMoney(amount, currencyCode, language);
  return amountRule === 'MAXIMUM' ? words.atMost(money) : money;
}

const periodIn = (words: Wording, { terms: { frequency, interval = 1 } }: AskedConsent): string =>
  frequency === undefined ? words.whenDue : words.every(frequency, interval);

const dayIn = (language: ConsentLanguage, at: number): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(at);
