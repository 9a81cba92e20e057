import { existsSync, statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const MEMORY = '/dev/shm';
/** Several times what a whole run needs at once: containers often have 64 MiB there. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * A new folder for data that is thrown away, in memory where Linux has room for it. A test run creates and deletes about
 * 350 files with each database, and ext4 passes over every file that was deleted within the last minutes before it creates
 * one: on a disk that takes most of the time of a database.
 */
export function makeScratchFolder(prefix: string): Promise<string> {
  return mkdtemp(join(hasRoomInMemory() ? MEMORY : tmpdir(), prefix));
}

function hasRoomInMemory(): boolean {
  if (process.platform !== 'linux' || !existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ENOUGH_BYTES;
}
