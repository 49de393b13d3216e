// The parts of a file that the rules of imports can see, so that they are checked again only if those parts have
// changed.

/** A change of one of these can change what the rules say of any file. */
const RULES = /^(\.dependency-cruiser\.mjs|package-lock\.json|package\.json)$/;
const CRUISED = /^(client\/src|src|test|bench)\/.*\.[cm]?[jt]s$/;
/** The lines that can contain a module's name, even if an import takes several. */
const MAY_NAME = /\bimport\b|\bfrom\b|\brequire\b|^\s*['"`]/;

/** The file's place and each line of it that may name a module; nothing of a file that no rule is about. */
export function visibleToRules(path: string, content: string): readonly string[] {
  if (RULES.test(path)) return [path, content];
  return CRUISED.test(path) ? [path, ...content.split('\n').filter((line) => MAY_NAME.test(line))] : [];
}
