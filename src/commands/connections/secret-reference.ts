// References to secrets: `env:NAME` or `file:PATH`, the path from the root. They are on record, and what they name is
// read when it is used.
import { AppError } from '../../app-error.ts';

/** Reads what a reference names. Rejects with UnresolvedSecret. */
export type SecretOf = (reference: string) => Promise<string>;

/** Names the reference, and nothing of a secret. The message is for operators: it tells which files the machine has. */
export class UnresolvedSecret extends AppError {
  /** The same sentence for every reason, for users of the dashboard. */
  readonly told: string;

  constructor(reference: string, why: string) {
    super('UnresolvedSecret', `The secret ${reference} cannot be used: ${why}.`);
    this.told = `The secret ${reference} cannot be used. An operator sees the reason with \`counterfoil connections show\`.`;
  }
}

/**
 * A secret that was typed in place of its reference, or that a shell put in place of a variable's name or a path, does
 * not match, so that it is refused and never stored.
 */
export const isReference = (text: string): boolean =>
  /^(env:(?!(sk|rk|pk|whsec)_)[A-Za-z_][A-Za-z0-9_]*|file:\/\S+)$/.test(text);
