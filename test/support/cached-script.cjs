// Runs the script next to it that has `.bundle` in its name, with the code that V8 kept of it: reading and compiling
// it again takes a third of a start.
// test/bundle-command-line.mjs and test/bundle-stand-ins.mjs lay a copy of this file beside each of their bundles.
const { readFileSync, writeFileSync } = require('node:fs');
const { Script } = require('node:vm');

const filename = __filename.replace(/\.cjs$/, '.bundle.cjs');
const cache = __filename.replace(/\.cjs$/, '.bundle.cache');
const isToBeKept = process.env.KEEP_CODE_CACHE === 'yes';

// esbuild writes ASCII alone. Where another V8 made the code, it is not taken, and the text compiled as always.
const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, 'latin1')}\n})`;
const script = new Script(text, { filename, ...(isToBeKept ? {} : { cachedData: readFileSync(cache) }) });
if (isToBeKept) process.on('exit', () => writeFileSync(cache, script.createCachedData()));
script.runInThisContext()(exports, require, module, filename, __dirname);
