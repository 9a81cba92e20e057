import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isRunning } from '@model-gateway/service-kit';
import { QuickStartError } from '../quick-start-error.ts';
import { developmentFilePath, readDevelopmentFile } from './development-file.ts';

/**
 * Creates and locks the data directory. The operating system frees SQLite's lock however the process ends, so
 * no stale lock can remain.
 * @throws QuickStartError when another gateway runs on the directory
 */
export function lockDataDir(dataDir: string): Disposable {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(join(dataDir, 'lock.sqlite'), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!(error instanceof Error && error.message.includes('locked'))) throw error;
    const last = readDevelopmentFile(dataDir);
    const pid = last?.pids.npm_start;
    const runs = pid !== undefined && isRunning(pid);
    const where = runs ? `runs at ${last?.base_url}` : 'is starting or stopping';
    throw new QuickStartError(
      [
        `a gateway ${where} with the data directory ${dataDir}: ` +
          `use it (${developmentFilePath(dataDir)} holds its key), stop it, ` +
          'or choose another with --data-dir',
      ],
      error,
    );
  }
  return { [Symbol.dispose]: () => database.close() };
}
