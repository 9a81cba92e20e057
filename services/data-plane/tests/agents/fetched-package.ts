import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const STAMP = '.installed';
/** Packages of this kind are large; a slow network gets its time. */
const INSTALL_MS = 10 * 60_000;

/** Where what a test fetches stays: AGENTS_CACHE, else a folder that git ignores. */
function cacheFolder(name: string): string {
  return join(process.env.AGENTS_CACHE ?? join(ROOT, '.tools', 'agents'), name);
}

/** Installs once, unless the folder already holds what `recipe` says. */
export async function installedOnce(
  name: string,
  recipe: string,
  install: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = cacheFolder(name);
  const stamp = join(folder, STAMP);
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === recipe) return folder;
  await mkdir(folder, { recursive: true });
  await install(folder);
  await writeFile(stamp, recipe);
  return folder;
}

export async function runInstaller(command: string, args: readonly string[], cwd: string): Promise<void> {
  await run(command, [...args], { cwd, timeout: INSTALL_MS, maxBuffer: 16 << 20 });
}
