// The rules by which the payments of an account are routed: set as a whole by operators and users of the dashboard.

import {
  type Account,
  type AccountEvent,
  clearRouting as decideClearing,
  setRouting as decideRouting,
} from '../../domain/account.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { refusalCodes } from '../../domain/payment/decline-reason.ts';
import type { NamedConnection } from '../../domain/routing/recorded-rules.ts';
import { checkRules, namesIn, type RoutingRules } from '../../domain/routing/routing-rules.ts';
import type { Streams } from '../../journal/streams.ts';
import type { Answer, Caller } from '../caller.ts';
import { answerOf, changeFor, type ManageNeeds } from '../idempotency.ts';
import type { AccountConnections } from './connections.ts';

interface RoutingNeeds extends ManageNeeds {
  readonly accounts: Streams<Account, AccountEvent>;
  readonly known: AccountConnections;
  /** The processors that have a connection without anybody's doing, which is named like them. */
  readonly implied: readonly string[];
}

/** A file of rules that was read, with the connections that it names; or a sentence for each mistake in it. */
export type ReadRules =
  | { readonly kind: 'rules'; readonly rules: RoutingRules; readonly connections: readonly NamedConnection[] }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

/** The active connections that rules of the account may name; first those that nobody made. Throws StoreUnavailable. */
export async function routableConnections(
  { known, implied }: Pick<RoutingNeeds, 'known' | 'implied'>,
  accountId: string,
): Promise<readonly NamedConnection[]> {
  const rows = (await known.listOf(accountId)).filter(({ doc }) => doc.status === 'active');
  return [
    ...implied.map((name) => ({ name, connectionId: name, processor: name })),
    ...rows.map(({ id, doc }) => ({ name: doc.name, connectionId: id, processor: doc.processor })),
  ];
}

/** `sent`: JSON of any shape. Throws StoreUnavailable. */
export async function readRules(
  { known, implied }: Pick<RoutingNeeds, 'known' | 'implied'>,
  accountId: string,
  sent: unknown,
): Promise<ReadRules> {
  const named = new Map<string, NamedConnection>();
  for (const one of await routableConnections({ known, implied }, accountId)) {
    named.set(one.connectionId, { ...one, name: one.connectionId });
    named.set(one.name, one);
  }
  const checked = checkRules(sent, (name) => named.get(name)?.connectionId);
  if (checked.kind === 'wrong') return checked;
  const { rules } = checked;
  // the processors’ codes are ours (contract §4), so another word guards nothing
  const problems = rules.never.flatMap((code, index) =>
    refusalCodes.includes(code) ? [] : [`never[${index}]: No refusal has the code ${code}.`],
  );
  if (problems.length > 0) return { kind: 'wrong', problems };
  return { kind: 'rules', rules, connections: namesIn(rules).flatMap((name) => named.get(name) ?? []) };
}

/**
 * Sets the rules from the next payment on; null removes them. `shown`: the version that the caller saw, 0 for none;
 * Conflict if there is a newer one. RequestValidationError with a violation for each mistake. `by`: the user of the
 * dashboard; an operator where it is left out. Throws StoreUnavailable.
 */
export async function setRouting(
  needs: RoutingNeeds,
  {
    accountId,
    sent,
    shown,
  }: { readonly accountId: string; readonly sent: unknown; readonly shown?: number | undefined },
  by?: Caller,
): Promise<Answer<Account>> {
  const { accounts, known } = needs;
  const read = sent === null ? NO_RULES : await readRules(needs, accountId, sent);
  const changed = await changeFor(
    needs,
    { name: 'set-routing', accountId, by },
    { streams: accounts, resource: { id: accountId } },
    () => (read.kind === 'rules' ? decideRouting({ ...read, shown }) : decideClearing(shown)),
    () => (read.kind === 'wrong' ? wrongRules(read.problems) : undefined),
  );
  if (changed.kind === 'changed') await known.look().catch(() => undefined); // others look within seconds
  return answerOf(changed);
}

const NO_RULES = { kind: 'none' } as const;

const wrongRules = (problems: readonly string[]): Rejection =>
  reject('RequestValidationError', problems.join(' '), {
    violations: problems.map((problem) => {
      const [path = '', ...words] = problem.split(': ');
      return words.length === 0
        ? { path: '$', description: path }
        : { path: `$.${path}`, description: words.join(': ') };
    }),
  });
