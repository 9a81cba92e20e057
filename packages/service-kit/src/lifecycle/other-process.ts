import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 20;

/** How long a process is waited for after each signal before the next, harder one is sent. */
export type StopStep = readonly [signal: NodeJS.Signals, waitMs: number];

/**
 * The command line of a process, arguments separated by spaces; undefined when there is no such process.
 * Process ids are used again, so nobody's process is touched on the strength of its id alone.
 */
export function commandLineOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined;
  } catch {
    // No such process, or a system without /proc.
  }
  try {
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** Whether there is such a process, ours to signal, that has not ended yet. */
export function isRunning(pid: number): boolean {
  return sendSignal(pid, 0) && !isZombie(pid);
}

/** Resolves when the process is gone, however it went. */
export async function stopProcess(pid: number, steps: readonly StopStep[]): Promise<void> {
  for (const [signal, waitMs] of steps) {
    if (!sendSignal(pid, signal)) return;
    const deadline = performance.now() + waitMs;
    while (performance.now() < deadline) {
      if (!isRunning(pid)) return;
      await wait(POLL_MS);
    }
  }
}

/** @returns whether there is such a process, and ours to signal */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Ended, with everything it held given back, but its parent has not asked how: it takes signals for ever. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it stands in parentheses and may hold any of these characters.
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}
