// Runs bundle.cjs beside it (test/bundle-command-line.mjs) with the code that V8 kept of it: reading and compiling it anew is a third of a start.
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const filename = join(__dirname, 'bundle.cjs');
const cache = join(__dirname, 'bundle.cache');
const isToBeKept = process.env.KEEP_CODE_CACHE === 'yes';

// esbuild writes ASCII alone. Where another V8 made the code, it is not taken, and the text compiled as always.
const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, 'latin1')}\n})`;
const script = new Script(text, { filename, ...(isToBeKept ? {} : { cachedData: readFileSync(cache) }) });
if (isToBeKept) process.on('exit', () => writeFileSync(cache, script.createCachedData()));
script.runInThisContext()(exports, require, module, filename, __dirname);
