// One look-up of an operation by its reference, with the entries that are hidden from it and the fault that strikes it.
import type { LookUp } from '../processor.ts';
import { type Entry, isHidden, outcomeAt } from './entry.ts';
import type { Fault } from './faults/fault.ts';
import { learntFrom } from './faults/learning.ts';
import { type Sender, takeTime, unlessAborted } from './performing.ts';

const LATE: LookUp = { kind: 'unreachable', detail: 'no answer before the deadline' };

/** Rules are asked about recorded references only: the owner of any other reference is unknown. Throws Ledger's faults. */
export async function lookedUp(reference: string, sender: Sender, signal: AbortSignal): Promise<LookUp> {
  const { ledger, world } = sender;
  const entry = await ledger.read((book) => book.entryOf(reference));
  if (entry === undefined) return { kind: 'not_found' };
  const found = (): LookUp => {
    const now = world.now();
    return isHidden(entry, now) ? { kind: 'not_found' } : outcomeAt(entry, now);
  };
  const fault = await faultOf(entry, sender);
  if (fault === undefined) return found();
  const learnt = takeTime(world, fault, signal).then(() => asLookUp(learntFrom(fault, found())));
  return unlessAborted(signal, () => LATE, learnt);
}

async function faultOf(entry: Entry, { ledger }: Sender): Promise<Fault | undefined> {
  const { rules = [] } = await ledger.read((book) => book.faultsOf(entry.accountId));
  // Counting a look-up takes a write, which most need not pay.
  if (!rules.some(({ match }) => match.operation === 'look_up')) return undefined;
  const reply = await ledger.submit({ kind: 'look_up', entry });
  return reply.kind === 'done' ? reply.fault : undefined;
}

/** A look-up that was not sent, or whose answer was lost, was not answered. */
const asLookUp = (learnt: LookUp | { readonly kind: 'not_sent'; readonly detail: string }): LookUp =>
  learnt.kind === 'not_sent' || learnt.kind === 'unknown' ? { kind: 'unreachable', detail: learnt.detail } : learnt;
