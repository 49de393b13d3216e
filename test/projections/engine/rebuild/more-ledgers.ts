// Other read models of ledgers, which are built beside them.
import { foldOf, projection } from '../../../../src/projections/projection.ts';
import { type Ledger, ledger } from '../ledger.ts';

const keyedBy = (name: string, key: (doc: Ledger) => string) =>
  projection(foldOf(ledger), { name, version: 1, keys: { owner: key }, indexes: [['owner']] });

export const namedLedgers = keyedBy('named', ({ owner }) => `named ${owner}`);
/** Cannot be kept, though its events can be folded. */
export const brittleLedgers = keyedBy('brittle', ({ owner }) => {
  throw new Error(`the key of ${owner}`);
});
