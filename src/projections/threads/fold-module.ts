// The URL of fold-handler for threads to load, from source or compiled.
export const foldModule = new URL(`./fold-handler${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
