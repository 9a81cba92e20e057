import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
/** `commit` is null before the first release. */
const release = z.object({ commit: z.string().nullable() });

/** The code of the previous release, installed and ready to run. */
export interface PreviousRelease extends AsyncDisposable {
  folder: string;
  commit: string;
}

/**
 * Checks out the previous release from the repository's history: the commit in prisma/previous-release.json,
 * or the tag or commit in PREVIOUS_RELEASE. Its dependencies are installed from its own lock file.
 * @returns the release, or why there is none: nothing was released yet, or this copy has no history
 */
export async function checkOutPreviousRelease(): Promise<PreviousRelease | { missing: string }> {
  const recorded = release.parse(
    JSON.parse(await readFile(join(ROOT, 'prisma/previous-release.json'), 'utf8')),
  );
  const wanted = process.env.PREVIOUS_RELEASE || recorded.commit;
  if (wanted === null) return { missing: 'there is no earlier release yet' };
  const parsed = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${wanted}^{commit}`], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (parsed.status !== 0) return { missing: `the history has no ${wanted}` };
  const commit = parsed.stdout.trim();
  const folder = await mkdtemp(join(tmpdir(), 'model-gateway-previous-'));
  run('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, folder], ROOT);
  run(process.execPath, ['scripts/bootstrap.mjs', 'node', '--version'], folder);
  return { folder, commit, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Runs a command, and returns its output. @throws Error with its output when it fails */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): string {
  const env = { ...process.env, ...environment };
  const result = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (result.status === 0) return result.stdout;
  throw new Error(`${command} ${args.join(' ')} failed: ${result.stdout}${result.stderr}`);
}
