import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandLineOf, stopProcess } from '@model-gateway/service-kit';

/** Fast shutdown, then immediate, then SIGKILL. */
const STOP_STEPS = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 10_000],
] as const;

/**
 * Stops a server on this cluster whose parent was killed. Checks that its command line names the data
 * directory, because process ids are reused. Removes a stale lock, which would stop Postgres from starting.
 */
export async function stopLeftover(clusterFolder: string): Promise<void> {
  const lockFile = join(clusterFolder, 'postmaster.pid');
  const pid = readPid(lockFile);
  const command = pid === undefined ? undefined : commandLineOf(pid);
  if (pid === undefined || command === undefined) return;
  if (!command.includes('postgres')) rmSync(lockFile, { force: true });
  else if (command.includes(clusterFolder)) await stopServer(pid);
}

export async function stopServer(pid: number): Promise<void> {
  await stopProcess(pid, STOP_STEPS);
}

function readPid(lockFile: string): number | undefined {
  try {
    const pid = Number(readFileSync(lockFile, 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}
