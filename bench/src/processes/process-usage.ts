import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { descendants, type ProcessUsage, parseProcStat, parsePs } from './parse-process-table.ts';

const HAS_PROC = existsSync('/proc/self/stat');

/** Returns the ids of a process and all its descendants. */
export function familyOf(pid: number): number[] {
  return descendants(pid, HAS_PROC ? procTable() : psTable());
}

/** Returns the CPU time of processes so far, user and system; ended ones count as 0. */
export function cpuMsOf(pids: readonly number[]): number {
  if (pids.length === 0) return 0;
  const usages = HAS_PROC ? pids.flatMap((pid) => procStat(pid) ?? []) : ofPs(pids);
  return usages.reduce((total, { cpuMs }) => total + cpuMs, 0);
}

/** Returns the resident memory of processes; shared memory counts for each. */
export function residentBytesOf(pids: readonly number[]): number {
  if (!HAS_PROC) return ofPs(pids).reduce((total, { residentBytes }) => total + residentBytes, 0);
  return pids.reduce((total, pid) => {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readOrEmpty(`/proc/${pid}/status`)) ?? [];
    return total + Number(kilobytes) * 1_024;
  }, 0);
}

/**
 * Returns the milliseconds that the threads of a process were on a core; 0 if it has ended. The kernel counts
 * nanoseconds, where /proc/PID/stat has hundredths of a second.
 */
export function onCoreMsOf(pid: number): number {
  const folder = `/proc/${pid}/task`;
  return entriesOf(folder).reduce((total, thread) => total + schedMs(`${folder}/${thread}/schedstat`, 0), 0);
}

/** Returns how long the threads of a process have waited for a core, in ms; 0 if it has ended. */
export function waitedForCoreMsOf(pid: number): number {
  const folder = `/proc/${pid}/task`;
  return entriesOf(folder).reduce((total, thread) => total + schedMs(`${folder}/${thread}/schedstat`, 1), 0);
}

/** Returns the ids of the running children of a process. */
export function childrenOf(pid: number): number[] {
  return readOrEmpty(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Returns the title of a process, such as `postgres: checkpointer`; empty if it has ended. */
export function titleOf(pid: number): string {
  return readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

/** @param field 0: on a core; 1: waiting for one */
function schedMs(file: string, field: 0 | 1): number {
  return Number(readOrEmpty(file).split(' ')[field] ?? 0) / 1e6;
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function ofPs(pids: readonly number[]) {
  return psTable().filter(({ pid }) => pids.includes(pid));
}

function psTable() {
  return parsePs(execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss=,time='], { encoding: 'utf8' }));
}

function procTable(): ProcessUsage[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (procStat(Number(name)) ?? []) : []));
}

function procStat(pid: number): ProcessUsage | undefined {
  return parseProcStat(readOrEmpty(`/proc/${pid}/stat`));
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}
