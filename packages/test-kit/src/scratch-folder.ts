import { existsSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const MEMORY = '/dev/shm';
/** Several times what a whole run needs at once: containers often have 64 MiB there. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * A new folder for data that is thrown away, in memory where Linux has room for it. A test run creates and
 * deletes about 350 files with each database, and ext4 passes over every file that was deleted within the
 * last minutes before it creates one: on a disk that takes most of the time of a database.
 */
export function makeScratchFolder(prefix: string): Promise<string> {
  if (!hasRoomInMemory()) return mkdtemp(join(tmpdir(), prefix));
  // Containers may share the folder, but not their process ids.
  const ofThisMachine = `${prefix}${hostname()}-`;
  removeAbandoned(ofThisMachine);
  return mkdtemp(join(MEMORY, `${ofThisMachine}${process.pid}-`));
}

function hasRoomInMemory(): boolean {
  if (process.platform !== 'linux' || !existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ENOUGH_BYTES;
}

/** A run that was killed gives no memory back. A Postgres that it left running ends without its files. */
function removeAbandoned(prefix: string): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || existsSync(`/proc/${pid}`)) continue;
    rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}
