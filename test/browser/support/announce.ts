// Mocha loads this for `npm test`: where there is no Chromium, one line before all tests tells what is left out.
import { chromiumPath, mustHaveChromium, WITHOUT_CHROMIUM } from './chromium.ts';

/** Runs once, in Mocha's first process. */
export function mochaGlobalSetup(): void {
  if (chromiumPath() === undefined && !mustHaveChromium()) process.stdout.write(`${WITHOUT_CHROMIUM}\n`);
}
