import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

const STOP_TIMEOUT_MS = 10_000;

/**
 * Stops a server that a killed parent has left behind on this cluster. A process is only believed to be that
 * server when its command line names this very data directory: process ids are used again.
 */
export async function stopLeftover(clusterFolder: string): Promise<void> {
  const pid = readPid(clusterFolder);
  if (pid !== undefined && isServerOf(pid, clusterFolder)) await stopServer(pid);
}

/** Fast shutdown, then an immediate one when that takes too long. Resolves when the process is gone. */
export async function stopServer(pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!send(pid, signal)) return;
    const deadline = performance.now() + STOP_TIMEOUT_MS;
    while (performance.now() < deadline) {
      if (!send(pid, 0)) return;
      await wait(20);
    }
  }
}

function readPid(clusterFolder: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(clusterFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isServerOf(pid: number, clusterFolder: string): boolean {
  try {
    const command = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes('postgres') && command.includes(clusterFolder);
  } catch {
    return false;
  }
}

/** @returns whether the process was there */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
