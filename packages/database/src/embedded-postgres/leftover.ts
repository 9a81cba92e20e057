import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandLineOf, stopProcess } from '@model-gateway/service-kit';

/** Fast shutdown, then an immediate one, then none at all, when one takes too long. */
const STOP_STEPS = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 10_000],
] as const;

/**
 * Makes way for a new server: stops one that a killed parent has left behind on this cluster. A process is
 * only believed to be that server when its command line names this very data directory: process ids are used
 * again. A lock that names a process of another kind is stale; Postgres would refuse to start while that one
 * lives.
 */
export async function stopLeftover(clusterFolder: string): Promise<void> {
  const lockFile = join(clusterFolder, 'postmaster.pid');
  const pid = readPid(lockFile);
  const command = pid === undefined ? undefined : commandLineOf(pid);
  if (pid === undefined || command === undefined) return;
  if (!command.includes('postgres')) rmSync(lockFile, { force: true });
  else if (command.includes(clusterFolder)) await stopServer(pid);
}

/** Resolves when the process is gone. */
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
