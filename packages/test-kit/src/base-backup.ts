import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrismaClient } from '@model-gateway/database';
import type { EmbeddedPostgres } from '@model-gateway/database/embedded-postgres';
import { z } from 'zod';

const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts', 'pg_wal']);

/** Copies a running cluster as pg_basebackup does, for machines without one of the server's version. */
export async function copyByHand(server: EmbeddedPostgres, cluster: string, backup: string): Promise<void> {
  const prisma = createPrismaClient(server.url, { maxConnections: 1 });
  try {
    // Start and stop of a backup must use one session.
    await prisma.$transaction(
      async (session) => {
        await session.$executeRaw`SELECT pg_backup_start('drill', true)`;
        await copyFolder(cluster, backup, LEFT_OUT);
        const rows = await session.$queryRaw`SELECT labelfile FROM pg_backup_stop(true)`;
        const [{ labelfile }] = z.tuple([z.object({ labelfile: z.string() })]).parse(rows);
        await writeFile(join(backup, 'backup_label'), labelfile);
      },
      { timeout: 300_000 },
    );
  } finally {
    await prisma.$disconnect();
  }
}

/** Copies with owners and modes. Files that vanish while they are copied come back from the log. */
export async function copyFolder(
  from: string,
  to: string,
  except: ReadonlySet<string> = new Set(),
): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const excluded = [...except].flatMap((name) => ['--exclude', `./${name}`]);
  const script =
    'from=$1; to=$2; shift 2; tar -C "$from" --ignore-failed-read --warning=no-file-changed ' +
    '--warning=no-file-removed "$@" -cf - . | tar -C "$to" -xpf -';
  const result = spawnSync('sh', ['-c', script, 'sh', from, to, ...excluded], { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`could not copy ${from}: ${result.stderr}`);
}

/** Gives the files of a folder the owner of a cluster: Postgres may run as another user than this process. */
export function chownLike(reference: string, folder: string): void {
  spawnSync('chown', ['-R', `--reference=${join(reference, 'PG_VERSION')}`, folder]);
}
