// The entry of a thread that runs from source: it does not inherit the loader of the process, so it gets its own first.
import { register } from 'tsx/esm/api';

register();
await import(process.argv[2]);
