import { join } from 'node:path';
import { commandLineOf, stopProcess } from '@model-gateway/service-kit';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from '../data-dir/json-file.ts';
import type { RestartedProcess } from './restarted-process.ts';
import { processMark } from './service-process.ts';

const recorded = z.array(z.object({ name: z.string(), pid: z.int().min(2) }));

/**
 * Services of a killed launcher stop by themselves, but finish requests first. This does not wait for that.
 */
const STOP_STEPS = [
  ['SIGTERM', 500],
  ['SIGKILL', 5_000],
] as const;

/** Records all processes whenever one starts, so that a later `npm start` finds what a kill -9 left. */
export function recordProcesses(
  dataDir: string,
  processes: readonly Pick<RestartedProcess, 'name' | 'pid'>[],
): void {
  writeJsonFile(
    recordPath(dataDir),
    processes.map(({ name, pid }) => ({ name, pid })),
  );
}

/**
 * Stops the processes that an earlier start of this data directory left running. It stops no others, whatever
 * their process ids.
 */
export async function stopLeftovers(dataDir: string): Promise<void> {
  const processes = readJsonFile(recordPath(dataDir), recorded) ?? [];
  const mark = processMark(dataDir);
  const left = processes.filter(({ pid }) => commandLineOf(pid)?.endsWith(mark));
  await Promise.all(left.map(({ pid }) => stopProcess(pid, STOP_STEPS)));
}

function recordPath(dataDir: string): string {
  return join(dataDir, 'processes.json');
}
