import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, lchownSync, lstatSync, mkdirSync } from 'node:fs';
import process from 'node:process';

/** The user nobody of Linux. On macOS no user has this id, so it owns nothing there either. */
const NOBODY = 65_534;

/** Postgres refuses to run as root. */
export interface RunAs {
  /** Prefix of the command. */
  prefix: readonly string[];
  uid?: number;
  gid?: number;
  /** Folder for the cluster that this user can use. */
  folder: string;
}

/**
 * Chooses the user for Postgres. Ordinary user: the same user. Root: a user namespace that maps root to
 * nobody, so that files keep their owner. Without namespaces (containers): nobody, the cluster in /var/tmp.
 * @param folder preferred for the cluster
 */
export function chooseRunAs(folder: string, unshare = 'unshare'): RunAs {
  if (process.getuid?.() !== 0) return { prefix: [], folder };
  const prefix = [unshare, '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];
  if (spawnSync(prefix[0] ?? '', [...prefix.slice(1), 'true']).status === 0) return { prefix, folder };
  const elsewhere = `/var/tmp/model-gateway-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  giveToNobody(elsewhere);
  return { prefix: [], uid: NOBODY, gid: NOBODY, folder: elsewhere };
}

/** @throws when another user owns something there: anybody may write in /var/tmp */
function giveToNobody(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || (found.uid !== 0 && found.uid !== NOBODY)) {
    throw new Error(`${folder} is not ours: remove it, run as an ordinary user, or set DATABASE_URL`);
  }
  lchownSync(folder, NOBODY, NOBODY);
}

/** @throws when the user cannot read the program, which would fail silently */
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
