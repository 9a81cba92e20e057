import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { PostgresBinaries } from './locate-binaries.ts';
import type { RunAs } from './run-as.ts';

export const SUPERUSER = 'postgres';

export interface Cluster {
  folder: string;
  password: string;
}

/** Opens the cluster in `runAs.folder`. A new one gets its name only when it is complete. */
export async function openCluster(binaries: PostgresBinaries, runAs: RunAs): Promise<Cluster> {
  mkdirSync(runAs.folder, { recursive: true, mode: 0o700 });
  const folder = join(runAs.folder, 'cluster');
  const passwordFile = join(runAs.folder, 'superuser-password');
  if (!existsSync(folder)) {
    const unfinished = join(runAs.folder, 'cluster.unfinished');
    rmSync(unfinished, { recursive: true, force: true });
    writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
    if (runAs.uid !== undefined && runAs.gid !== undefined) chownSync(passwordFile, runAs.uid, runAs.gid);
    await initialize(binaries.initdb, runAs, unfinished, passwordFile);
    renameSync(unfinished, folder);
  }
  return { folder, password: readFileSync(passwordFile, 'utf8') };
}

async function initialize(initdb: string, runAs: RunAs, folder: string, passwordFile: string): Promise<void> {
  const [command = '', ...args] = [
    ...runAs.prefix,
    initdb,
    `--pgdata=${folder}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ];
  const child = spawn(command, args, { ...identity(runAs), cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  if (code !== 0) throw new Error(`initdb failed with exit code ${code}: ${(errors || output).trim()}`);
}

/** Returns uid and gid if Postgres runs as another user. */
export function identity({ uid, gid }: RunAs): { uid?: number; gid?: number } {
  return uid === undefined || gid === undefined ? {} : { uid, gid };
}
