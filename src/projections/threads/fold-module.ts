// The module for threads to load, from source or compiled, and what it needs.
import type { StoreKey } from '../../secrets.ts';
import type { FoldModule } from '../engine/rebuild/build-pass.ts';

const url = new URL(`./fold-handler${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** `storeKey`: the one of `projectionsWith`. */
export const foldModuleWith = (storeKey: StoreKey | undefined): FoldModule => ({ url, secret: storeKey?.bytes });
