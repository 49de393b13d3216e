// URLs of stores: their kinds, their forms, and how one is shown without its secrets.
import { resolve } from 'node:path';
import { z } from 'zod';

/** `file`: an absolute path. */
export type EventStoreUrl =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'eventstoredb'; readonly url: string };
/** `file`: an absolute path that ends in .db; the generations of the read models are next to it. */
export type ReadModelsUrl =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'mongodb'; readonly url: string };

const SQLITE = /^sqlite:(.+)$/s;
const sqlite = z
  .string()
  .regex(SQLITE)
  .transform((text) => ({ kind: 'sqlite' as const, file: resolve(text.replace(SQLITE, '$1')) }));

// The form that both clients call a connection string: URL would refuse several hosts. The client itself checks the
// options.
const HOST = String.raw`(?:\[[0-9A-Fa-f:.]+\]|[^\s,:/?#@[\]]+)(?::\d{1,5})?`;
const connectionString = (schemes: string): RegExp =>
  new RegExp(String.raw`^(?:${schemes})://(?:[^\s/?#@]+@)?${HOST}(?:,${HOST})*(?:/[^\s/?#@]*)?(?:\?[^\s#@]*)?$`);

const eventStoreDb = z
  .string()
  .regex(connectionString(String.raw`esdb|esdb\+discover`))
  .transform((url) => ({ kind: 'eventstoredb' as const, url }));
const mongoDb = z
  .string()
  .regex(connectionString(String.raw`mongodb|mongodb\+srv`))
  .transform((url) => ({ kind: 'mongodb' as const, url }));

/** `sqlite:<path>`, or an EventStoreDB connection string. */
export const EventStoreUrl: z.ZodType<EventStoreUrl, string> = z.union([sqlite, eventStoreDb]);
/** `sqlite:<path of a file that ends in .db>`, or a MongoDB connection string. */
export const ReadModelsUrl: z.ZodType<ReadModelsUrl, string> = z.union([
  sqlite.refine(({ file }) => file.endsWith('.db')),
  mongoDb,
]);

/** As it was set, for people: nothing secret in it. */
export const shownUrl = (at: EventStoreUrl | ReadModelsUrl): string =>
  at.kind === 'sqlite' ? `sqlite:${at.file}` : withoutPassword(at.url);

const MASK = '********';

/**
 * A URL, or what somebody meant to be one, with its password masked, and options whose names say that they hold a
 * secret. A password may hold any character that should have been escaped: then more is masked than needs to be, never
 * less.
 */
export function withoutPassword(url: string): string {
  if (url.startsWith('sqlite:')) return url;
  // A text without a scheme may be a URL whose scheme was forgotten.
  const [, scheme = '', rest = ''] = /^((?:[a-z][a-z0-9+.-]*:\/\/)?)(.*)$/is.exec(url) ?? [];
  return scheme + withoutCredentials(rest, scheme !== '').replaceAll(SECRET_OPTION, `$1${MASK}`);
}

function withoutCredentials(rest: string, hasScheme: boolean): string {
  const [colon, end] = [rest.indexOf(':'), rest.lastIndexOf('@')];
  const masked = `${rest.slice(0, colon)}:${MASK}`;
  // In an option's value, the last @ is perhaps one of a password's own.
  if (colon !== -1 && colon < end) return SECRET_NAME.test(rest.slice(0, end)) ? masked : masked + rest.slice(end);
  // Neither host nor port: perhaps user and password, and the @ after them was escaped or forgotten.
  const [authority = ''] = rest.split(/[/?#]/, 1);
  const isNoHost = hasScheme && end === -1 && NO_PORT.test(authority);
  return isNoHost ? masked + rest.slice(authority.length) : rest;
}

const NO_PORT = /^[^:[]*:(?!\d{0,5}(?:,|$))/;
const SECRET_NAME = /(?:password|secret|token)[a-z_-]*[=:]/i;
// Up to the next option: a comma, or the text of a fragment, may be the secret's own.
const SECRET_OPTION = /(?<![a-z_-])([a-z_-]*(?:password|secret|token)[a-z_-]*[=:])[^&]+/gi;
