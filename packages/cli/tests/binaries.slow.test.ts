import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gatewayctl, startGatewayctl } from './gatewayctl-fixture.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const execute = promisify(execFile);

let gatewayctl: Gatewayctl;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

describe('bin/gatewayctl.mjs', () => {
  it('runs the same commands as the sources, from any folder', async () => {
    const file = gatewayctl.file('accounts.csv', 'email,pool_usd\nada@example.com,1\n');
    const env = { ...process.env, ...gatewayctl.environment };
    const run = (...args: string[]) =>
      execute(process.execPath, [join(ROOT, 'bin/gatewayctl.mjs'), ...args], { env, cwd: gatewayctl.folder });
    expect((await run('accounts', 'import', '-f', 'accounts.csv')).stdout).toContain('1 accounts created');
    expect((await run('accounts', 'import', '-f', file, '--json')).stdout).toContain('"existed": 1');
    expect((await run('pools', 'list', 'ada@example.com')).stdout).toMatch(/^pool_\w+ +Imported +ada@/m);
    expect((await run('catalog', 'show')).stdout).toBe((await gatewayctl.run(['catalog', 'show'])).out);
    // More nano-USD than a number of JavaScript holds exactly.
    for (const usd of ['9000000', '8999998.999999999'])
      await run('pools', 'add', 'ada@example.com', '--usd', usd);
    expect((await run('accounts', 'list', '--json')).stdout).toContain('"left_usd": "17999999.999999999"');
    await expect(run('nonsense')).rejects.toMatchObject({ code: 2, stdout: '' });
    await expect(run('keys', 'revoke', 'key_none')).rejects.toMatchObject({ code: 1 });
  });
});

describe('the package of npm', () => {
  it('has everything that model-gateway start needs, and gatewayctl, which needs nothing else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'package-'));
    try {
      await execute('npm', ['pack', '--pack-destination', folder], { cwd: ROOT });
      const [archive = ''] = readdirSync(folder);
      await execute('tar', ['-xf', archive], { cwd: folder });
      const installed = join(folder, 'node_modules', 'model-gateway');
      mkdirSync(join(folder, 'node_modules'));
      renameSync(join(folder, 'package'), installed);

      const env = { ...process.env, ...gatewayctl.environment };
      const listed = await execute(
        process.execPath,
        [join(installed, 'bin/gatewayctl.mjs'), 'accounts', 'list', '--json'],
        { env, cwd: folder },
      );
      expect(JSON.parse(listed.stdout)).toHaveLength(1);

      const start = join(installed, 'bin/model-gateway.mjs');
      expect((await execute(process.execPath, [start, '--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
      await expect(execute(process.execPath, [start, 'stop'])).rejects.toMatchObject({ code: 2 });
      for (const file of [
        'packages/cli/dist/pnpm-lock.yaml',
        'packages/quick-start/src/main.ts',
        'services/dashboard/web/src/main.tsx',
        'prisma/migrations',
        'deploy/catalogs',
        'bench/package.json',
        'docs/README.md',
        'deploy/README.md',
        'packages/docs-site/.vitepress/config.ts',
      ]) {
        expect({ file, isThere: existsSync(join(installed, file)) }).toEqual({ file, isThere: true });
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
