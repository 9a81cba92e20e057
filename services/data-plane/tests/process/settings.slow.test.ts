import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/**
 * Runs a service as an operator does, with nothing but the given settings; only what is compiled is shared.
 */
async function runService(name: string, environment: Record<string, string>) {
  const child = spawn(process.execPath, ['scripts/service.ts', name], {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { stdout, problems: stderr.trimEnd().split('\n'), exitCode: Number(exitCode) };
}

const secret = 'x'.repeat(40);

describe('a service in production', () => {
  it.each(['data-plane', 'control-plane'])(
    '%s refuses to start without the pepper, with one clear line',
    async (name) => {
      const run = await runService(name, {
        NODE_ENV: 'production',
        INTERNAL_TOKEN: secret,
        ADMIN_TOKEN: secret,
        DATABASE_URL: 'postgresql://127.0.0.1:9/none',
        REDIS_URL: 'redis://127.0.0.1:9',
      });
      expect(run.exitCode).toBe(1);
      expect(run.problems).toHaveLength(1);
      expect(run.problems[0]).toMatch(
        new RegExp(`^${name}: API_KEY_LOOKUP_PEPPER: is required when NODE_ENV=production`),
      );
    },
  );

  it('a service names every wrong setting at once, development secrets included', async () => {
    const run = await runService('data-plane', {
      NODE_ENV: 'production',
      API_KEY_LOOKUP_PEPPER: 'development-pepper-not-for-production-use',
      PORT: 'http',
      CATALOG_URL: 'nowhere',
      GRPC_TLS_CA: '/does/not/exist',
    });
    expect(run.exitCode).toBe(1);
    expect(run.problems.map((problem) => problem.split(': ')[1]).sort()).toEqual([
      'API_KEY_LOOKUP_PEPPER',
      'CATALOG_URL',
      'GRPC_TLS_CA',
      'INTERNAL_TOKEN',
      'PORT',
      'REDIS_URL',
    ]);
  });
});
