import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 20;

/** A signal for a process, and how long to wait before the next, harder one is sent. */
export type StopStep = readonly [signal: NodeJS.Signals, waitMs: number];

/**
 * Returns the command line of a process, with spaces between the arguments; undefined when there is no such
 * process. The system uses process ids again, so the id alone is no reason to stop a process.
 */
export function commandLineOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined;
  } catch {
    // There is no such process, or the system has no /proc.
  }
  try {
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** Returns true for a process that runs and that we may signal. */
export function isRunning(pid: number): boolean {
  return sendSignal(pid, 0) && !isZombie(pid);
}

/** Stops a process. Resolves when it is gone, for whatever reason. */
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

/** @returns false: no such process that we may signal */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns true if the process has ended, but its parent has not collected it: it accepts signals for ever.
 */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before the state is in parentheses and may contain any of these characters.
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}
