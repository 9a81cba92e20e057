import { execFileSync } from 'node:child_process';
import { familyOf } from './process-usage.ts';

/**
 * Lets a process and its descendants run only when nothing else wants their core (SCHED_IDLE of Linux).
 * Those that they start from now on are like them.
 * @returns what ends this; undefined where there is no `chrt`, or it may not do so
 */
export function yieldToOthers(pid: number): (() => void) | undefined {
  const become = (policy: '--idle' | '--other') => {
    for (const each of familyOf(pid)) {
      try {
        execFileSync('chrt', ['--all-tasks', policy, '--pid', '0', String(each)], { stdio: 'ignore' });
      } catch (error) {
        // One that has ended meanwhile is of no interest.
        if (each === pid) throw error;
      }
    }
  };
  try {
    become('--idle');
    return () => become('--other');
  } catch {
    return undefined;
  }
}
