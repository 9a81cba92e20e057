import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { descendants, type ProcessUsage, parseProcStat, parsePs } from './parse-process-table.ts';

const HAS_PROC = existsSync('/proc/self/stat');

/** The ids of a process and of all its descendants. */
export function familyOf(pid: number): number[] {
  return descendants(pid, HAS_PROC ? procTable() : psTable());
}

/** The CPU time of these processes so far, user and system; processes that are gone count as 0. */
export function cpuMsOf(pids: readonly number[]): number {
  if (pids.length === 0) return 0;
  const usages = HAS_PROC ? pids.flatMap((pid) => procStat(pid) ?? []) : ofPs(pids);
  return usages.reduce((total, { cpuMs }) => total + cpuMs, 0);
}

/** The resident memory of these processes; shared memory counts for each of them. */
export function residentBytesOf(pids: readonly number[]): number {
  if (!HAS_PROC) return ofPs(pids).reduce((total, { residentBytes }) => total + residentBytes, 0);
  return pids.reduce((total, pid) => {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readOrEmpty(`/proc/${pid}/status`)) ?? [];
    return total + Number(kilobytes) * 1_024;
  }, 0);
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
