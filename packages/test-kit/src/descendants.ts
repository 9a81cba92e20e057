import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The processes and their children, and theirs, that live at the moment. */
export function withDescendants(pids: readonly number[]): number[] {
  const all = new Set(pids);
  for (const pid of all) for (const child of childrenOf(pid)) all.add(child);
  return [...all];
}

function childrenOf(pid: number): number[] {
  try {
    return numbersIn(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
  } catch {
    // It has ended, or this is a system without /proc.
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
