import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandLineOf, stopProcess } from '@model-gateway/service-kit';

/**
 * A fast shutdown; when that takes too long, an immediate one; and then no shutdown, only the end of the
 * process.
 */
const STOP_STEPS = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 10_000],
] as const;

/**
 * Makes way for a new server: stops a server on this cluster whose parent was killed. A process counts as
 * that server only when its command line names this data directory, because the system uses process ids
 * again. A lock whose process is not a Postgres is old. It is removed, because Postgres would refuse to start
 * while that process lives.
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
