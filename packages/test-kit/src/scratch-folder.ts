import { existsSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const MEMORY = '/dev/shm';
/** Several times what a test run uses at its peak. Containers often have only 64 MiB there. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Makes a new folder for temporary data, in memory where Linux has room for it. A test run creates and
 * deletes about 350 files with each database. Before ext4 creates a file, it looks at every file that was
 * deleted within the last minutes, and on a disk that would take most of a database's time.
 */
export function makeScratchFolder(prefix: string): Promise<string> {
  if (!hasRoomInMemory()) return mkdtemp(join(tmpdir(), prefix));
  // Containers may share the folder, but their process ids are not the same.
  const machinePrefix = `${prefix}${hostname()}-`;
  removeAbandoned(machinePrefix);
  return mkdtemp(join(MEMORY, `${machinePrefix}${process.pid}-`));
}

function hasRoomInMemory(): boolean {
  if (process.platform !== 'linux' || !existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ENOUGH_BYTES;
}

/**
 * Frees the memory of killed runs, which nothing else does. A Postgres that such a run left running ends when
 * its files are gone.
 */
function removeAbandoned(prefix: string): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || existsSync(`/proc/${pid}`)) continue;
    rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}
