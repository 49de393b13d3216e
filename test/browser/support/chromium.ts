// Where this machine's Chromium is, and the words for a machine that has none.
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** First the one without windows: it takes less CPU for the same pages. */
const COMMANDS = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge',
  'brave-browser',
];
const MAC = [
  'Google Chrome.app/Contents/MacOS/Google Chrome',
  'Chromium.app/Contents/MacOS/Chromium',
  'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

export const WITHOUT_CHROMIUM =
  'The browser tests (test/browser) are left out, because there is no Chromium: install one (apt-get install chromium), or set CHROME_PATH to a Chrome.';

/**
 * The file of a Chromium: CHROME_PATH alone if it is set, otherwise the usual places of Linux and macOS. Undefined:
 * there is none.
 */
export function chromiumPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['CHROME_PATH'];
  if (named !== undefined && named !== '') return isProgram(named) ? named : undefined;
  const folders = [...(env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''), '/usr/bin', '/snap/bin'];
  const onLinux = COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command)));
  const onMac = MAC.flatMap((app) => [join('/Applications', app), join(homedir(), 'Applications', app)]);
  return [...onLinux, ...onMac].find(isProgram);
}

/** True if the browser tests are obligatory: there, a missing Chromium is a failure. */
export const mustHaveChromium = (env: NodeJS.ProcessEnv = process.env): boolean => env['CI'] === 'true';

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
