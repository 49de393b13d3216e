// The work of counterfoil agreements: those of an account, and one of them with its periods.
import { type AgreementStatus, agreementStatuses } from '../../domain/agreement/state.ts';
import { inCurrency } from '../../domain/money.ts';
import { type AgreementAnswer, agreementAnswer } from '../../http/answers/agreement.ts';
import { agreements } from '../../projections/models/agreements.ts';
import type { GivenValues } from '../command.ts';
import { Refused, WrongUsage } from '../exit.ts';
import { whichAccount, wholeId } from '../named.ts';
import type { Opened } from '../open/open.ts';
import type { CommandResult } from '../output.ts';
import type { agreements as rows } from '../rows/payments.ts';
import { list as lines, listing, toMinute, toSecond } from '../table.ts';

export async function list(given: GivenValues<typeof rows.list>, opened: Opened): Promise<CommandResult> {
  const { limit, customer } = given;
  const accountId = await whichAccount(opened, given);
  const status = given.status === undefined ? undefined : statusIn(given.status);
  const filter = { customerId: customer, status };
  const found = await opened.service.queries.listAgreements(accountId, filter, limit);
  const data = found.rows.map(({ id, revision, doc }) => agreementAnswer(id, revision, doc));
  return {
    json: { data },
    text: listing(
      'agreements',
      ['id', 'status', 'terms', 'charged', { spare: 'made' }, 'customer'],
      data.map((one) => [
        one.id,
        one.action === undefined ? one.status : `${one.status} ${one.action}`,
        termsShown(one),
        String(one.usage.succeeded),
        toMinute(one.date),
        one.customerId,
      ]),
    ),
    warnings: found.next === undefined ? [] : [`There are more than ${limit}; --limit shows up to 100.`],
  };
}

function statusIn(text: string): AgreementStatus {
  const status = agreementStatuses.find((name) => name === text.toUpperCase());
  if (status === undefined)
    throw new WrongUsage(`--status is ${JSON.stringify(text)}: allowed are ${agreementStatuses.join(', ')}.`);
  return status;
}

/** In one line: `19.00 EUR each MONTH`. */
function termsShown({ terms }: AgreementAnswer): string {
  const { amountRule, amount, currencyCode, frequency, interval = 1, count } = terms;
  const sum = amount === undefined ? `any amount of ${currencyCode}` : inCurrency(amount, currencyCode);
  const each = frequency === undefined ? '' : ` each ${interval === 1 ? '' : `${interval} `}${frequency}`;
  return `${amountRule === 'MAXIMUM' ? 'at most ' : ''}${sum}${each}${count === undefined ? '' : `, ${count} times`}`;
}

export async function show({ id: named }: GivenValues<typeof rows.show>, { service }: Opened): Promise<CommandResult> {
  const id = await wholeId(service.readModels, named);
  const [row] = await service.readModels.get(agreements, [id]);
  if (row === undefined || row.doc.status === 'absent') throw new Refused(`There is no agreement ${id}.`, 'NotFound');
  const answer = agreementAnswer(id, row.revision, row.doc);
  const { accountId } = row.doc;
  return { json: { accountId, ...answer }, text: [head(accountId, answer), periodTable(answer)].join('\n\n') };
}

function head(accountId: string, agreement: AgreementAnswer): string {
  const { consent, terms, statusReason, initial, usage } = agreement;
  return lines([
    ['id', agreement.id],
    ['status', agreement.action === undefined ? agreement.status : `${agreement.status} ${agreement.action}`],
    ...(statusReason === undefined ? [] : [['reason', Object.values(statusReason).join(' · ')] as const]),
    ['account', accountId],
    ['customer', agreement.customerId],
    ['terms', `${agreement.kind}: ${termsShown(agreement)}`],
    ['agreed to', terms.description],
    ['consent', `${toSecond(consent.acceptedAt)}, ${consent.channel}, text ${consent.textDigest}`],
    ...(initial === undefined ? [] : [['first payment', `${initial.paymentId}, ${initial.network}`] as const]),
    ...(agreement.paymentMethodToken === undefined ? [] : [['charges', agreement.paymentMethodToken] as const]),
    ['retries', retriesShown(agreement.retry)],
    ['periods', `${usage.claimed} claimed, ${usage.succeeded} charged`],
    ['made', toSecond(agreement.date)],
    ['changed', `${toSecond(agreement.dateUpdated)}, version ${agreement.version}`],
  ]);
}

function retriesShown(retry: AgreementAnswer['retry']): string {
  if (retry === undefined || retry.policy === 'NONE') return 'by your own calls';
  return retry.policy === 'ADVISED' ? 'as the network advises' : `after ${retry.days?.join(', ')} days`;
}

const periodTable = ({ periods = [] }: AgreementAnswer): string =>
  listing(
    'periods',
    ['period', 'tries', 'outcome', 'amount', { spare: 'next try' }, 'payment'],
    periods.map(
      ({ periodKey, tries, outcome, code, amount, currencyCode, notBefore, retryAt = notBefore, paymentId }) => [
        periodKey,
        String(tries),
        [outcome ?? 'open', ...(code === undefined ? [] : [code])].join(' '),
        inCurrency(amount, currencyCode),
        retryAt === undefined ? '' : toMinute(retryAt),
        paymentId,
      ],
    ),
  );
