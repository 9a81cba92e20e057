import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The headless shell comes first: without windows and their toolbars, it takes a third less CPU. */
const PROGRAMS = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

export type ChromiumSearch = { executablePath: string } | { missing: string };

/**
 * Finds the browser for browser tests: CHROMIUM_PATH, else a Chromium or Chrome of this machine, else the
 * reason why there is none.
 */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): ChromiumSearch {
  const { CHROMIUM_PATH, PATH = '' } = environment;
  if (CHROMIUM_PATH) {
    return isProgram(CHROMIUM_PATH)
      ? { executablePath: CHROMIUM_PATH }
      : { missing: `there is no program at CHROMIUM_PATH (${CHROMIUM_PATH})` };
  }
  const folders = PATH.split(delimiter).filter(isAbsolute);
  const candidates = PROGRAMS.flatMap((program) =>
    isAbsolute(program) ? [program] : folders.map((folder) => join(folder, program)),
  );
  const executablePath = candidates.find(isProgram);
  return executablePath === undefined
    ? { missing: 'CHROMIUM_PATH is not set and there is no chromium or google-chrome on the PATH' }
    : { executablePath };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
