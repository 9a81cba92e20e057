import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import type { Environment } from '@model-gateway/service-kit';
import { ROOT } from '../processes/program.ts';

const run = promisify(execFile);

/** A copy of the repository whose code is measured. */
export interface Release {
  /** For the report. */
  name: string;
  /** Its folder. */
  root: string;
}

export const THIS_RELEASE: Release = { name: 'this', root: ROOT };

/** Opens another copy, installs its dependencies from its own lock file, and bundles it if it can. */
export async function openRelease(root: string, environment: Environment): Promise<Release> {
  const bundles = existsSync(join(root, 'packages', 'bundles')) ? ['--bundles'] : [];
  const bootstrap = ['scripts/bootstrap.mjs', ...bundles, 'node', '--version'];
  await run('node', bootstrap, { cwd: root, env: { ...environment } });
  return { name: 'before', root };
}

/** Migrates a database to the schema of a release. @throws with the output of its runner */
export async function migrate(
  { root }: Release,
  databaseUrl: string,
  environment: Environment,
): Promise<void> {
  await run(process.execPath, ['scripts/service.ts', 'migrate'], {
    cwd: root,
    env: { ...environment, DATABASE_URL: databaseUrl },
  });
}
