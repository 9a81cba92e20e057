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
  /** True if its request ids are in the order of their time. */
  hasOrderedIds: boolean;
}

export const THIS_RELEASE: Release = releaseIn(ROOT, 'this');

/** Opens another copy; what it depends on is installed there as its own lock file says. */
export async function openRelease(root: string, environment: Environment): Promise<Release> {
  await run('node', ['scripts/bootstrap.mjs', 'node', '--version'], { cwd: root, env: { ...environment } });
  return releaseIn(root, 'before');
}

/** Brings a database to the schema of a release. @throws with what its runner said */
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

function releaseIn(root: string, name: string): Release {
  const hasOrderedIds = existsSync(join(root, 'packages/shared/src/ids/new-request-id.ts'));
  return { name, root, hasOrderedIds };
}
