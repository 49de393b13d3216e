// Objects of events that get more members without a new version (contract §11, "Nodes of two versions"): an older node
// carries them.
import { z } from 'zod';

type MemberShape = z.core.$ZodLooseShape;

/**
 * An object of an event. `decided`: its members as the event's version has them. `carried`: those that it was given
 * since, all optional: requests send them, logs keep them and answers show them, and no code of ours reads them. They
 * are not in the object's type, so a decision by one does not compile; a member that something is decided by is
 * `decided`, in a new version of the event. The object keeps what it does not know, so that an older node that writes
 * it back loses nothing.
 */
export function growing<S extends MemberShape>(decided: S, carried?: MemberShape): z.ZodObject<S, z.core.$strict>;
export function growing(decided: MemberShape, carried: MemberShape = {}): z.ZodObject {
  const optional = Object.entries(carried).map(
    ([name, member]) => [name, z.optional(member).meta({ carried: true })] as const,
  );
  return z.looseObject({ ...decided, ...Object.fromEntries(optional) });
}

/** One of the names of a growing object's members; `decided` of its meta data: those of the decided ones. */
export const nameIn = <S extends MemberShape>(of: z.ZodObject<S>) =>
  of.keyof().meta({ decided: Object.keys(of.shape).filter((name) => !isCarried(Reflect.get(of.shape, name))) });

/** True if the member is carried, even if the whole object was made partial. */
const isCarried = (member: unknown): boolean =>
  member instanceof z.ZodOptional && (member.meta()?.['carried'] === true || isCarried(member.unwrap()));
