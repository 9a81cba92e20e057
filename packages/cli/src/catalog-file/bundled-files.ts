import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the paths of the bundled catalogs with a provider that reads this credential. */
export function bundledFilesWith(folder: string, credential: string): string[] {
  if (!existsSync(folder)) return [];
  const names = new RegExp(`^ *credential_env:.*\\b${credential}\\b`, 'm');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => join(folder, file))
    .filter((path) => names.test(readFileSync(path, 'utf8')));
}
