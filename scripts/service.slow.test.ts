import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { createDatabase, databaseUrl, dropDatabase } from '../packages/database/src/index.ts';

const SERVICE = fileURLToPath(new URL('service.ts', import.meta.url));
/** Far more than six shutdowns at the same time need. */
const GIVE_UP_MS = 180_000;
const { PATH, NODE_COMPILE_CACHE } = process.env;

function service(args: string[], environment: Record<string, string> = {}) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const env = { PATH, NODE_COMPILE_CACHE, ...environment };
    const child = execFile(process.execPath, [SERVICE, ...args], { env }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

describe('npm run service', () => {
  it('lists the services when no service or an unknown one is named', async () => {
    const wrong = [[], ['nonsense'], ['migrate', 'now'], ['catalog', '--restored']];
    for (const { code, out, err } of await Promise.all(wrong.map((args) => service(args)))) {
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/^usage: .*data-plane.*control-plane.*catalog.*dashboard.*migrate.*\n$/);
    }
  });

  it('runs each service: a wrong setting is reported under its name, with exit code 1', async () => {
    const runs = ['data-plane', 'control-plane', 'catalog', 'dashboard'].map(async (name) => {
      const { code, err } = await service([name], { PORT: 'eighty', INTERNAL_PORT: 'none' });
      expect({ name, code }).toEqual({ name, code: 1 });
      expect(err).toMatch(new RegExp(`^${name}: PORT: .*\n`, 'm'));
      expect(err).toMatch(new RegExp(`^${name}: INTERNAL_PORT: .*\n`, 'm'));
    });
    await Promise.all(runs);
  });

  it('migrate fills an empty database, and finds nothing to do the second time', async () => {
    const { adminUrl } = inject('postgres');
    const name = `gateway_migrate_${randomBytes(6).toString('hex')}`;
    await createDatabase(adminUrl, name);
    try {
      const environment = { DATABASE_URL: databaseUrl(adminUrl, name) };
      const folders = readdirSync(new URL('../prisma/migrations/', import.meta.url), { withFileTypes: true });
      const migrations = folders.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
      expect(await service(['migrate'], environment)).toEqual({
        code: 0,
        out: migrations
          .sort()
          .map((migration) => `applied ${migration}\n`)
          .join(''),
        err: '',
      });
      expect(await service(['migrate'], environment)).toEqual({ code: 0, out: 'nothing to do\n', err: '' });
      expect(await service(['migrate', '--restored'], environment)).toEqual({
        code: 0,
        out: expect.stringMatching(/^new epoch [\w-]{36}: control planes read everything again\n$/),
        err: '',
      });
    } finally {
      await dropDatabase(adminUrl, name);
    }
  });

  it('migrate prints why it failed, on one line', async () => {
    expect(await service(['migrate'])).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^migrate: DATABASE_URL is required.*\n$/),
    });
    expect(await service(['migrate'], { DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:9/none' })).toEqual(
      {
        code: 1,
        out: '',
        err: expect.stringMatching(/^migrate: (?!.*secret).*127\.0\.0\.1:9.*\n$/),
      },
    );
  });

  it('ends on SIGTERM even if nobody reads its log', async () => {
    const environment = {
      PATH,
      NODE_COMPILE_CACHE,
      NODE_ENV: 'test',
      PORT: '0',
      INTERNAL_PORT: '0',
      CONTROL_PLANE_ADDRESS: '127.0.0.1:9',
      DRAIN_TIMEOUT_MS: '100',
      LOG_LEVEL: 'debug',
    };
    const end = async (): Promise<unknown> => {
      const child = spawn(process.execPath, [SERVICE, 'data-plane'], {
        env: environment,
        stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
      });
      await once(child, 'message');
      child.stdout?.destroy();
      child.kill('SIGTERM');
      const giveUp = setTimeout(() => child.kill('SIGKILL'), GIVE_UP_MS);
      const [code] = await once(child, 'exit');
      clearTimeout(giveUp);
      return code;
    };
    // In about one of three shutdowns, the last lines have no reader.
    expect(await Promise.all(Array.from({ length: 6 }, end))).toEqual([0, 0, 0, 0, 0, 0]);
  });
});
