// What the dashboard and /management show of an API key alike.
import { inOrder, type Scope } from '../../domain/api-key/scopes.ts';
import { type ExistingApiKey, isUsable } from '../../domain/api-key/state.ts';
import { formatTime } from '../../world.ts';

const PREFIX_DIGITS = 6;

interface ShownKey {
  readonly id: string;
  /** The beginning of its text, which tells a holder which key it has. */
  readonly prefix: string;
  readonly name: string;
  readonly scopes: Scope[];
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAt: string;
}

export const shownKey = (id: string, doc: ExistingApiKey, mode: 'test' | 'live', at: number): ShownKey => ({
  id,
  prefix: `cf_${mode}_${id.slice('key_'.length).slice(0, PREFIX_DIGITS)}`,
  name: doc.name,
  scopes: inOrder(doc.scopes),
  state: doc.status === 'revoked' ? 'revoked' : isUsable(doc, at) ? 'active' : 'expired',
  createdAt: formatTime(doc.createdAt),
});

/** Until when the text before a rotation is valid, ms; undefined if it is not. */
export const overlapEnd = (doc: ExistingApiKey, at: number): number | undefined =>
  doc.previous !== undefined && at < doc.previous.expiresAt && isUsable(doc, at) ? doc.previous.expiresAt : undefined;
