import { spawnSync } from 'node:child_process';

/** Looks for a program on the PATH. It must know `--version`. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined;
}
