// Where a thread finds every read model there is: from source, or compiled.
export const foldModule = new URL(`./fold-handler${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
