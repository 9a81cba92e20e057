import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Returns the given processes and all their living descendants. */
export function withDescendants(pids: readonly number[]): number[] {
  const all = new Set(pids);
  for (const pid of all) for (const child of childrenOf(pid)) all.add(child);
  return [...all];
}

function childrenOf(pid: number): number[] {
  try {
    return numbersIn(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
  } catch {
    // The process has ended, or the system has no /proc.
  }
  if (process.platform === 'linux') return [];
  try {
    return numbersIn(execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }));
  } catch {
    return [];
  }
}

function numbersIn(text: string): number[] {
  return text.split(/\s+/).filter(Boolean).map(Number);
}
