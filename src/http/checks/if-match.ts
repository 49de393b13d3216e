// If-Match and If-None-Match: which revisions of a resource a conditional request will change, or has already
// (contract §1; RFC 9110, sections 13.1.1 and 13.1.2).

/**
 * Undefined: unconditional. `any`: every existing revision. Else the revisions of which one must be the current one.
 */
export type IfMatch = 'any' | readonly number[] | undefined;

const ENTITY_TAG = /^"(0|[1-9]\d{0,15})"$/;

/**
 * Weak tags never match here (the comparison is strong), and neither does a tag that was never given out:
 * such a header leaves no revision that could match.
 */
export function ifMatch(header: string | undefined): IfMatch {
  if (header === undefined) return undefined;
  const tags = header.split(',').map((tag) => tag.trim());
  if (tags.includes('*')) return 'any';
  return tags.flatMap((tag) => {
    const revision = ENTITY_TAG.exec(tag)?.[1];
    return revision === undefined ? [] : [Number(revision)];
  });
}

/** The condition as commands take it; undefined if there is none, or when any existing revision will do. */
export const revisionMatches = (condition: IfMatch): ((revision: number) => boolean) | undefined =>
  condition === undefined || condition === 'any' ? undefined : (revision) => condition.includes(revision);

/** True if If-None-Match names the revision; weak tags count too. */
export function hasRevision(header: string | undefined, revision: number): boolean {
  const has = ifMatch(header?.replaceAll('W/', ''));
  return has === 'any' || has?.includes(revision) === true;
}
