import { execFileSync } from 'node:child_process';
import { familyOf } from './process-usage.ts';

/**
 * Lets a process, its descendants and their later children run only when nothing else wants their core.
 * @returns a function that ends this; undefined if `chrt` is missing or not permitted
 */
export function yieldToOthers(pid: number): (() => void) | undefined {
  const setPolicy = (policy: '--idle' | '--other') => {
    for (const each of familyOf(pid)) {
      try {
        execFileSync('chrt', ['--all-tasks', policy, '--pid', '0', String(each)], { stdio: 'ignore' });
      } catch (error) {
        // Ignores descendants that have ended.
        if (each === pid) throw error;
      }
    }
  };
  try {
    setPolicy('--idle');
    return () => setPolicy('--other');
  } catch {
    return undefined;
  }
}
