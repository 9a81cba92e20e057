import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestGateway } from '@model-gateway/test-kit';
import { watchLag } from '@model-gateway/test-kit';
import { beforeAll, expect, it } from 'vitest';
import { installedOnce, runInstaller } from '../agents/fetched-package.ts';
import tried from '../agents/tried-programs.json' with { type: 'json' };

const run = promisify(execFile);

/**
 * Installs a client library for Python before the tests of this file.
 * @param program beside this file; gets the part to run and the model, and prints JSON
 * @returns runs one part of the program with these environment variables
 */
export function withPythonClient(name: keyof typeof tried.pypi, program: string) {
  const requirement = `${name}==${tried.pypi[name]}`;
  let python: string;
  beforeAll(async () => {
    const folder = await installedOnce(`${name}-python`, requirement, async (into) => {
      await runInstaller('python3', ['-m', 'venv', into], into);
      const options = ['install', '--quiet', '--disable-pip-version-check', requirement];
      await runInstaller(join(into, 'bin', 'pip'), options, into);
    });
    python = join(folder, 'bin', 'python');
  }, 15 * 60_000);
  const path = fileURLToPath(new URL(program, import.meta.url));
  return async (part: string, model: string, environment: Record<string, string>): Promise<unknown> => {
    const env = { PATH: process.env.PATH, ...environment };
    return JSON.parse((await run(python, [path, part, model], { env })).stdout);
  };
}

/** Declares the tests of failures that both libraries for Python have. */
export function testFailures(
  gateway: TestGateway,
  client: (part: string, model: string) => Promise<unknown>,
  model: string,
): void {
  it('the client raises its own error classes', async () => {
    gateway.provider.script({ status: 429 }, { status: 500 });
    expect(await client('errors', model)).toEqual({
      limited: 'RateLimitError',
      failed: 'InternalServerError',
      unauthorized: 'AuthenticationError',
      unknown: 'NotFoundError',
      invalid: 'BadRequestError',
    });
  });

  it('the client raises when a stream breaks', async () => {
    gateway.provider.script({ content: 'word '.repeat(50), truncate: { after_events: 6 } });
    expect(await client('broken', model)).toMatchObject({ is_raised: true });
  });

  it('the provider sees its request closed after the client aborts a stream', async () => {
    gateway.provider.script({ token_delay_ms: 20, content: 'word '.repeat(500) });
    using lag = watchLag();
    const { left_at } = Object(await client('abort', model));
    const { atMs, reason } = await (await gateway.provider.waitForRequest()).closed;
    expect(reason).toBe('client_closed');
    // Seconds since 1970 on the clock of this machine, which both processes read.
    const leftAtMs = left_at * 1_000 - performance.timeOrigin;
    expect(atMs - leftAtMs).toBeLessThan(100 + lag.allowanceMs());
  });
}
