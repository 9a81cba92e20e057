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

/** Measures how long the event loop of another process was busy without a break, in its own CPU time. */
export async function watchLongestTurn(): Promise<LongestTurn> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-turns-'));
  const file = join(directory, 'longest');
  const script = new URL('./longest-turn-preload.ts', import.meta.url).href;
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
