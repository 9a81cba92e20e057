import { readdirSync, readFileSync } from 'node:fs';

/**
 * The time that the threads of a process have been on a core, user and system, in milliseconds. The kernel
 * counts it in nanoseconds, where /proc/PID/stat has hundredths of a second. A process that has ended: 0.
 * @throws on a system without /proc
 */
export function onCoreMsOf(pid: number): number {
  const folder = `/proc/${pid}/task`;
  return entriesOf(folder).reduce((total, thread) => total + onCoreMs(`${folder}/${thread}/schedstat`), 0);
}

/** The ids of the processes that a process has started, and that still run. */
export function childrenOf(pid: number): number[] {
  return readOrEmpty(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Returns the title of a process, such as `postgres: checkpointer`. Empty: it has ended. */
export function titleOf(pid: number): string {
  return readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

function onCoreMs(file: string): number {
  const [nanoseconds = '0'] = readOrEmpty(file).split(' ');
  return Number(nanoseconds) / 1e6;
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process or the thread has ended.
    return '';
  }
}
