import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, lchownSync, lstatSync, mkdirSync } from 'node:fs';
import process from 'node:process';

/** The user nobody, on Linux and macOS alike in effect: it owns nothing. */
const NOBODY = 65_534;

/** How to run Postgres' programs, which refuse to run as root. */
export interface RunAs {
  /** Put before the command. */
  prefix: readonly string[];
  uid?: number;
  gid?: number;
  /** Where the cluster can live for that user. */
  folder: string;
}

/**
 * As an ordinary user: as that user. As root: in a user namespace of its own, where root is seen as nobody,
 * so that no file changes its owner; where that is refused (containers), as nobody with the cluster under
 * /var/tmp.
 *
 * @param folder where the cluster should live
 */
export function chooseRunAs(folder: string, unshare = 'unshare'): RunAs {
  if (process.getuid?.() !== 0) return { prefix: [], folder };
  const prefix = [unshare, '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];
  if (spawnSync(prefix[0] ?? '', [...prefix.slice(1), 'true']).status === 0) return { prefix, folder };
  const elsewhere = `/var/tmp/model-gateway-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  giveToNobody(elsewhere);
  return { prefix: [], uid: NOBODY, gid: NOBODY, folder: elsewhere };
}

/** @throws when a thing of another user stands there: anybody may write beside it and guess its name */
function giveToNobody(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || (found.uid !== 0 && found.uid !== NOBODY)) {
    throw new Error(`${folder} is not ours: remove it, run as an ordinary user, or set DATABASE_URL`);
  }
  lchownSync(folder, NOBODY, NOBODY);
}

/** @throws when the user who is to run a program could not read it, which would fail without a word */
export function assertRunnable({ uid }: RunAs, program: string): void {
  if (uid === undefined) return;
  const result = spawnSync('test', ['-x', program], { uid, gid: NOBODY });
  if (result.status !== 0) {
    accessSync(program, constants.X_OK);
    throw new Error(
      `Postgres refuses to run as root, and the user nobody cannot read ${program}: run as an ordinary user, or set DATABASE_URL`,
    );
  }
}
