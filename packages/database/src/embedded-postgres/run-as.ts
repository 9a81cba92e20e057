import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, lchownSync, lstatSync, mkdirSync } from 'node:fs';
import process from 'node:process';

/** The id of a user who owns nothing: nobody on Linux, and in effect also on macOS. */
const NOBODY = 65_534;

/** How to run Postgres' programs, which refuse to run as root. */
export interface RunAs {
  /** These words come before the command. */
  prefix: readonly string[];
  uid?: number;
  gid?: number;
  /** A folder where the cluster can be for that user. */
  folder: string;
}

/**
 * Chooses the user for Postgres. An ordinary user runs it as themselves. Root runs it in a user namespace of
 * its own, where root is seen as nobody, so that no file changes its owner. Where that is refused (in
 * containers), it runs as nobody, with the cluster under /var/tmp.
 *
 * @param folder where the cluster should be
 */
export function chooseRunAs(folder: string, unshare = 'unshare'): RunAs {
  if (process.getuid?.() !== 0) return { prefix: [], folder };
  const prefix = [unshare, '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];
  if (spawnSync(prefix[0] ?? '', [...prefix.slice(1), 'true']).status === 0) return { prefix, folder };
  const elsewhere = `/var/tmp/model-gateway-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  giveToNobody(elsewhere);
  return { prefix: [], uid: NOBODY, gid: NOBODY, folder: elsewhere };
}

/** @throws when another user owns something there: the name is known, and all may write in /var/tmp */
function giveToNobody(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || (found.uid !== 0 && found.uid !== NOBODY)) {
    throw new Error(`${folder} is not ours: remove it, run as an ordinary user, or set DATABASE_URL`);
  }
  lchownSync(folder, NOBODY, NOBODY);
}

/** @throws when the user who will run a program cannot read it, because it would fail without a message */
export function assertRunnable({ uid }: RunAs, program: string): void {
  if (uid === undefined) return;
  const result = spawnSync('test', ['-x', program], { uid, gid: NOBODY });
  if (result.status !== 0) {
    accessSync(program, constants.X_OK);
    throw new Error(
      `Postgres refuses to run as root, and the user nobody cannot read ${program}: ` +
        'run as an ordinary user, or set DATABASE_URL',
    );
  }
}
