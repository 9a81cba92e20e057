import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@model-gateway/test-kit';

export interface LongestTurn extends AsyncDisposable {
  /** Settings of the process that is to be watched. */
  environment: Record<string, string>;
  /** The longest turn of its event loop since the last time, in milliseconds of CPU time. */
  take(child: ChildProcess): Promise<number>;
}

/**
 * How long one request can hold up others in a process by what it makes that process do, whatever else the
 * machine does.
 */
export async function watchLongestTurn(): Promise<LongestTurn> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-turns-'));
  const file = join(directory, 'longest');
  const script = new URL('./longest-turn-thread.ts', import.meta.url).href;
  return {
    environment: { NODE_OPTIONS: `--import ${script}`, LONGEST_TURN_FILE: file },
    async take(child) {
      await rm(file, { force: true });
      child.kill('SIGUSR2');
      let longestMs = Number.NaN;
      await until(async () => {
        longestMs = Number.parseFloat(await readFile(file, 'utf8').catch(() => ''));
        return !Number.isNaN(longestMs);
      });
      return longestMs;
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
