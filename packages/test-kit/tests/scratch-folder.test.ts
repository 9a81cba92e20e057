import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { makeScratchFolder } from '../src/scratch-folder.ts';

const PREFIX = 'model-gateway-scratch-';

it('making a scratch folder deletes those of ended processes of this machine, and no others', async (context) => {
  const folder = await makeScratchFolder(PREFIX);
  if (!folder.startsWith('/dev/shm/')) {
    rmSync(folder, { recursive: true });
    return context.skip('there is no room in memory');
  }
  const { pid } = spawnSync(process.execPath, ['--version']);
  const abandoned = join(dirname(folder), `${PREFIX}${hostname()}-${pid}-abcdef`);
  const elsewhere = join(dirname(folder), `${PREFIX}another-machine-${pid}-abcdef`);
  for (const path of [abandoned, elsewhere]) mkdirSync(join(path, 'cluster'), { recursive: true });
  const next = await makeScratchFolder(PREFIX);
  expect([folder, next, elsewhere, abandoned].map((path) => existsSync(path))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  for (const path of [folder, next, elsewhere]) rmSync(path, { recursive: true });
});
