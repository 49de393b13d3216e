// A route is a value: the router mounts it, OpenAPI prints it, the scope matrix in the tests walks it.
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { UserHolder } from '../commands/access/user-holder.ts';
import type { Caller, Completed } from '../commands/caller.ts';
import type { Rejection } from '../domain/decider.ts';
import type { MANAGEMENT, Scope } from '../domain/scopes.ts';
import { ROLES, type Role } from '../domain/user/roles.ts';
import type { IfMatch } from './checks/headers.ts';
import { type ErrorId, invalid, type Refusal, refuse } from './errors.ts';
import { nullMembers } from './request-parts.ts';
import { violationWords } from './violation-words.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
/**
 * One of the nine scopes of an API key; a management key; the client token of a checkout; nothing at all; a user of the
 * dashboard, or one who signs in.
 */
type Access = Scope | typeof MANAGEMENT | 'clientToken' | 'public' | 'visitor' | UserAccess;

/** The users of the dashboard who may call a route: they are signed in, by a session's cookie. No API key opens it. */
export interface UserAccess {
  readonly roles: readonly Role[];
  /**
   * `store`: the whole store, with every account in it; who changes something there needs an account that operates the
   * store.
   */
  readonly concerns: 'account' | 'store';
  /** The user has given the password, again, in this session a few minutes ago at most. */
  readonly confirmed: boolean;
  /** True if the route is open to a user who must first set up two-factor sign-in, and may do nothing else. */
  readonly enrolling?: true;
  /**
   * True if the page calls automatically, which does not count as use of the session. Elsewhere a page says so with
   * `X-Background: 1`.
   */
  readonly unattended?: true;
}

/** `scope` of a route for users of these roles, about their account. */
export const forRoles = (...roles: readonly Role[]): UserAccess => ({ roles, concerns: 'account', confirmed: false });
/** Access to routes about the whole store: its clock, its read models, its nodes. */
export const aboutStore = (access: UserAccess): UserAccess => ({ ...access, concerns: 'store' });
/** Access after the password was confirmed: for keys, users and outcomes that are resolved manually. */
export const forConfirmed = (...roles: readonly Role[]): UserAccess => ({
  roles,
  concerns: 'account',
  confirmed: true,
});
/** Access even before two-factor sign-in is set up: the user's own area. */
export const alsoEnrolling = (access: UserAccess): UserAccess => ({ ...access, enrolling: true });
/** Access for automatic calls of a page: the session still idles out. */
export const unattended = (access: UserAccess): UserAccess => ({ ...access, unattended: true });
/** Every user, whatever the role. */
export const forUsers: UserAccess = forRoles(...ROLES);
export const isForUsers = (access: Access): access is UserAccess => typeof access === 'object';

/** The parts of a request before their schema was asked. */
interface RawRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** The input of a handler besides the parts of its request. */
export interface HandlerCall {
  readonly caller: Caller;
  /** The caller, where it is a user of the dashboard. */
  readonly user: UserHolder | undefined;
  readonly ifMatch: IfMatch;
  readonly headers: IncomingHttpHeaders;
  /** Aborts when the caller is gone; of visitors and users, who ask for work that is worth ending. */
  readonly signal?: AbortSignal;
  /** The body as it was sent; '' when there was none. */
  readonly text: string;
}

/** A JSON answer. */
export interface Reply<Answer extends object> {
  readonly kind: 'reply';
  readonly status: 200 | 202;
  readonly body: Answer;
  /** The body as JSON, where it is known already. */
  readonly text?: string;
  /** Becomes the ETag. */
  readonly revision?: number;
  /** The body depends on more than its revision, so that nobody has it already. */
  readonly isOfNow?: true;
  readonly replayed?: boolean;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
}

/** An answer that is not JSON: the pages of the documentation. */
export interface Content {
  readonly kind: 'content';
  readonly content: string | Uint8Array;
  /** Names and values in turn, the content type among them. */
  readonly headers: readonly string[];
}

/** Another path of this server has the page. */
interface Redirect {
  readonly kind: 'redirect';
  readonly location: string;
}

/**
 * Content that is created while it is sent, for responses of any size: the next piece is created when the client has
 * received the previous one.
 */
export interface Streamed {
  readonly kind: 'streamed';
  /**
   * Ended (`return`) when the client hangs up; where it throws, the connection is broken off, so that no client takes a
   * part for the whole.
   */
  readonly pieces: AsyncIterable<string>;
  /** Names and values in turn, the content type among them. */
  readonly headers: readonly string[];
}

export type Handled = Reply<object> | Content | Streamed | Redirect | Refusal;

/** The subject of a call: the tests that walk all routes create one before they send the example of a route. */
export type Given =
  | 'session'
  | 'session with an agreement'
  | 'card'
  | 'vaulted card'
  | 'payment'
  | 'estimated payment'
  | 'captured payment'
  | 'challenged payment'
  | 'returning payment'
  | 'checkout payment'
  | 'open dispute'
  | 'payment link'
  | 'first payment'
  | 'agreement'
  | 'paused agreement'
  | 'notification';

/** Stands in an example for a token, or a customer, of what the call is about. */
export const OWN = 'yours';

/** A call that works as it stands: /openapi.json shows its body, and the tests that walk all routes send it. */
interface Example {
  /** Absent: nothing has to be there before. */
  readonly on?: Given;
  readonly query?: { readonly [parameter: string]: string };
  readonly body?: object;
}

interface Description {
  /** The name that generated clients call the operation by; every route of the merchants' description has one. */
  readonly id?: string;
  readonly example?: Example;
  readonly summary: string;
  readonly tag: string;
  readonly request: z.ZodObject;
  /** Undefined: not JSON. */
  readonly answer: z.ZodType | undefined;
  /** The content type of a streamed response. */
  readonly contentType?: string;
  /** The path to which this one redirects; undefined if it responds itself. */
  readonly leadsTo?: string;
  /** The errors that are this operation's own, besides those of the frame. */
  readonly errors: readonly ErrorId[];
  /** 202 is possible: the outcome is not known yet. */
  readonly accepts: boolean;
}

export interface Route {
  readonly method: Method;
  /** With `:name` for parameters. */
  readonly path: string;
  readonly scope: Access;
  /** The path itself stands for the key that calls, and no header is asked (contract §8). */
  readonly keyInPath: boolean;
  /** raw: the handler reads the text itself; none: a body is ignored (GET). */
  readonly bodyKind: 'json' | 'raw' | 'none';
  /** The most bytes of its body; undefined: the limit of most routes (contract §7). */
  readonly mostBodyBytes: number | undefined;
  /** True if the body follows from its revision: 304 for a caller who has it (contract §1). */
  readonly isByRevision: boolean;
  /** True if a parameter of the query counts; elsewhere the query is ignored. */
  readonly readsQuery: boolean;
  /** Parameters of the query that are lists (see parseQuery). */
  readonly lists: ReadonlySet<string>;
  /** Names the body in validation errors. */
  readonly model: string;
  readonly description: Description;
  /** The body's part of an idempotency fingerprint; the text as it was sent when undefined. */
  readonly fingerprint: ((body: unknown) => string) | undefined;
  /** The one member of the body that may hold a card number, in dots from its root; `*` for any place in a list. */
  readonly cardAt: string | undefined;
  /**
   * Whether the work grows with a history, or with all that matches: then it takes turns (LongWork). `query`: as it was
   * sent.
   */
  readonly isLong: ((query: object) => boolean) | undefined;
  /** Asks the schema, adds `faults` to what it finds, and runs the operation when there is nothing wrong. */
  readonly run: (raw: RawRequest, faults: readonly z.core.$ZodIssue[], call: HandlerCall) => Promise<Handled> | Handled;
}

interface Requested<Request extends z.ZodObject> extends Pick<Description, 'id' | 'example'> {
  readonly method: Method;
  readonly path: string;
  readonly scope: Access;
  readonly summary: string;
  readonly tag: string;
  /** `z.object` of `params`, `query` and `body`, whichever there are; without `body` a body must be empty or `{}`. */
  readonly request: Request;
  readonly errors?: readonly ErrorId[];
  readonly accepts?: true;
  readonly raw?: true;
  /** See Route. */
  readonly mostBodyBytes?: number;
  readonly keyInPath?: true;
  /** See Route. */
  readonly isByRevision?: true;
  readonly fingerprint?: (body: unknown) => string;
  readonly cardAt?: string;
  /** See Route. */
  readonly lists?: readonly string[];
  /** See Route: always, or where the query has this parameter. */
  readonly long?: true | { readonly with: string };
}
type RouteHandler<Request extends z.ZodObject, Done> = (
  request: z.output<Request>,
  call: HandlerCall,
) => Promise<Done> | Done;

interface Definition<Request extends z.ZodObject, Answer extends object> extends Requested<Request> {
  readonly answer: z.ZodType<Answer>;
  readonly handle: RouteHandler<Request, Reply<Answer> | Refusal>;
}
interface StreamDefinition<Request extends z.ZodObject> extends Requested<Request> {
  readonly method: 'GET';
  readonly contentType: string;
  readonly handle: RouteHandler<Request, Streamed | Refusal>;
}

const NO_MEMBERS = z.strictObject({});
const NO_ISSUES: readonly z.core.$ZodIssue[] = [];
const NO_LISTS: ReadonlySet<string> = new Set();
const WORDS = { error: violationWords };
const PARTS = ['query', 'body'] as const;

/** The value of nearly every part that must be empty: a comparison is cheaper than the schema. */
function isEmpty(part: unknown): boolean {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return false;
  for (const _ in part) return false;
  return true;
}

/** The one answer for a missing resource and for a resource of another account (contract §2). */
export const notFound = (): Refusal => refuse('NotFound', 'There is no such resource.');

/**
 * The parts that a definition leaves out are closed: no member, no parameter. Health checks and browsers may append
 * what they like to the query of public routes.
 */
function closedParts({
  request,
  scope,
  method,
  raw,
}: Pick<Requested<z.ZodObject>, 'request' | 'scope' | 'method' | 'raw'>): z.ZodObject {
  const named = Object.keys(request.shape);
  const query = scope !== 'public' && !named.includes('query');
  const body = method !== 'GET' && raw !== true && !named.includes('body');
  return z.object({ ...(query && { query: NO_MEMBERS }), ...(body && { body: NO_MEMBERS }) });
}

export const route = <Request extends z.ZodObject, Answer extends object>(
  definition: Definition<Request, Answer>,
): Route => routeOf(definition, definition.handle, { answer: definition.answer });

/** A route whose answer has no bound: its handler decides what is asked, and the pieces follow. */
export const streamRoute = <Request extends z.ZodObject>(definition: StreamDefinition<Request>): Route =>
  routeOf(definition, definition.handle, { answer: undefined, contentType: definition.contentType });

/** All rows that match as CSV, for the roles that may take them away. */
export const csvRoute = <Request extends z.ZodObject>(
  definition: Omit<StreamDefinition<Request>, 'contentType' | 'long'>,
): Route =>
  streamRoute({
    ...definition,
    scope: forRoles('owner', 'support', 'auditor'),
    long: true,
    contentType: 'text/csv; charset=utf-8',
  });

function routeOf<Request extends z.ZodObject>(
  definition: Requested<Request>,
  handle: RouteHandler<Request, Handled>,
  answered: Pick<Description, 'answer' | 'contentType'>,
): Route {
  const { method, path, scope, request } = definition;
  const rest = closedParts(definition);
  const full = request.extend(rest.shape);
  const left = PARTS.filter((part) => part in rest.shape);
  const isClosed = (raw: RawRequest): boolean => {
    for (const part of left) if (!isEmpty(raw[part])) return false;
    return true;
  };
  const body: unknown = full.shape['body'];
  const model = (body instanceof z.ZodType ? body.meta()?.id : undefined) ?? `${method} ${path}`;
  const { long } = definition;
  const isLong = long === undefined ? undefined : (query: object): boolean => long === true || long.with in query;
  const modelOf = (part: PropertyKey): string => (part === 'query' ? 'Query' : model);
  /** In a POST a null member counts as absent (contract §1); an unknown one is refused all the same. */
  const parse = (raw: RawRequest, text: string, words?: typeof WORDS): z.ZodSafeParseResult<z.output<Request>> => {
    if (method !== 'POST' || !text.includes('null')) return request.safeParse(raw, words);
    const whole = request.safeParse({ ...raw, body: nullMembers(raw.body, 'undefined') }, words);
    return whole.success ? request.safeParse({ ...raw, body: nullMembers(raw.body, 'absent') }, words) : whole;
  };
  /**
   * The faults in words. A parse that has to have words ready takes nearly twice as long, so only a failed request is
   * parsed with them.
   */
  const faultsIn = (raw: RawRequest, text: string): readonly z.core.$ZodIssue[] =>
    parse(raw, text, WORDS).error?.issues ?? NO_ISSUES;
  return {
    method,
    path,
    scope,
    keyInPath: definition.keyInPath === true,
    bodyKind: method === 'GET' ? 'none' : definition.raw === true ? 'raw' : 'json',
    mostBodyBytes: definition.mostBodyBytes,
    isByRevision: definition.isByRevision === true,
    readsQuery: 'query' in full.shape,
    lists: new Set(definition.lists),
    model,
    fingerprint: definition.fingerprint,
    cardAt: definition.cardAt,
    isLong,
    description: {
      ...(definition.id !== undefined && { id: definition.id }),
      ...(definition.example !== undefined && { example: definition.example }),
      summary: definition.summary,
      tag: definition.tag,
      request: full,
      ...answered,
      errors: definition.errors ?? [],
      accepts: definition.accepts === true,
    },
    run(raw, faults, call) {
      const parsed = parse(raw, call.text);
      const others = isClosed(raw) ? NO_ISSUES : (rest.safeParse(raw, WORDS).error?.issues ?? NO_ISSUES);
      if (parsed.success && others.length === 0 && faults.length === 0) return handle(parsed.data, call);
      const issues = [...(parsed.success ? NO_ISSUES : faultsIn(raw, call.text)), ...others, ...faults];
      // A path that cannot name a resource names none; the caller's own mistakes come first (contract §1).
      const mistakes = issues.filter(({ path: [part] }) => part !== 'params');
      return mistakes.length === 0 ? notFound() : invalid(mistakes, modelOf);
    },
  };
}

/** A route that needs no credentials and answers something else than JSON. */
export const page = (path: string, described: Pick<Description, 'id' | 'summary'>, handle: () => Content): Route =>
  publicPage(path, described, handle);

/** A route that needs no credentials and leads to another one. */
export const signpost = (path: string, summary: string, leadsTo: string): Route =>
  publicPage(path, { summary, leadsTo }, () => ({ kind: 'redirect', location: leadsTo }));

function publicPage(
  path: string,
  described: Pick<Description, 'id' | 'summary' | 'leadsTo'>,
  run: () => Handled,
): Route {
  return {
    method: 'GET',
    path,
    scope: 'public',
    keyInPath: false,
    bodyKind: 'none',
    mostBodyBytes: undefined,
    isByRevision: false,
    readsQuery: false,
    lists: NO_LISTS,
    model: path,
    fingerprint: undefined,
    cardAt: undefined,
    isLong: undefined,
    description: { ...described, tag: 'Service', request: z.object({}), answer: undefined, errors: [], accepts: false },
    run,
  };
}

/** The reply to a command that completed, at the revision of its document. */
export const replyTo = <Answer extends object>(
  { status, revision, replayed }: Pick<Completed<unknown>, 'status' | 'revision' | 'replayed'>,
  body: Answer,
): Reply<Answer> => ({ kind: 'reply', status, body, revision, ...(replayed === true && { replayed: true }) });

/**
 * A command's answer as a reply: shaped from the document that it completed with. `textOf`: see Reply, where there is a
 * cheaper way to it than JSON.stringify.
 */
export function shaped<Done extends Completed<unknown>, Answer extends object>(
  result: Done | Rejection,
  answerOf: (done: Done) => Answer,
  textOf?: (answer: Answer) => string,
): Reply<Answer> | Rejection {
  if (result.kind === 'rejected') return result;
  const reply = replyTo(result, answerOf(result));
  return textOf === undefined ? reply : { ...reply, text: textOf(reply.body) };
}

/** The same where the answer has to be read. */
export async function shapedLater<Done extends Completed<unknown>, Answer extends object>(
  result: Done | Rejection,
  answerOf: (done: Done) => Promise<Answer>,
): Promise<Reply<Answer> | Rejection> {
  return result.kind === 'rejected' ? result : replyTo(result, await answerOf(result));
}

/** What was read, or why it was not. */
export const foundOr = <Read extends object, Answer extends object>(
  read: Read | Rejection | undefined,
  answerOf: (read: Read) => Answer,
): Reply<Answer> | Refusal => {
  if (read === undefined) return notFound();
  return isRejection(read) ? read : found(answerOf(read));
};
const isRejection = (read: object): read is Rejection => 'kind' in read && read.kind === 'rejected';

/** A 200 with the document that was read. */
export const found = <Answer extends object>(body: Answer, revision?: number): Reply<Answer> => ({
  kind: 'reply',
  status: 200,
  body,
  ...(revision !== undefined && { revision }),
});
