import { existsSync, globSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import process from 'node:process';
import { isRunning, stopProcess } from '@model-gateway/service-kit';

const OWNER = 'owner';
const STOP_STEPS = [
  ['SIGTERM', 3_000],
  ['SIGKILL', 2_000],
] as const;

/** Creates a folder for data, logs and keys of a run. First stops and removes the rest of killed runs. */
export async function makeWorkDir(cacheDir: string): Promise<string> {
  await mkdir(cacheDir, { recursive: true });
  for (const folder of globSync(join(cacheDir, 'run-*'))) {
    if (isOwned(folder)) continue;
    await Promise.all(processesIn(folder).map((pid) => stopProcess(pid, STOP_STEPS)));
    await rm(folder, { recursive: true, force: true });
  }
  const workDir = await mkdtemp(join(cacheDir, 'run-'));
  await writeFile(join(workDir, OWNER), String(process.pid));
  return workDir;
}

/** A folder without an owner comes from a run that ended while it was starting. */
function isOwned(folder: string): boolean {
  const file = join(folder, OWNER);
  return existsSync(file) && isRunning(Number(readFileSync(file, 'utf8')));
}

/** Finds processes by their working directory: those that do not end with their parent. Needs /proc. */
function processesIn(folder: string): number[] {
  if (!existsSync('/proc/self/cwd')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && `${workingDirectory(name)}${sep}`.startsWith(`${folder}${sep}`))
    .map(Number);
}

function workingDirectory(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // The process has ended, or belongs to another user.
    return '';
  }
}
