import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const OUTDATED = fileURLToPath(new URL('outdated.ts', import.meta.url));

it('npm run outdated says so when no registry can be reached', async () => {
  const { code, out, err } = await new Promise<{ code: number | null; out: string; err: string }>(
    (resolve) => {
      const env = { ...process.env, pnpm_config_registry: 'http://127.0.0.1:9/' };
      const child = execFile(process.execPath, [OUTDATED], { env }, (_error, out, err) =>
        resolve({ code: child.exitCode, out, err }),
      );
    },
  );
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(
    /^npm run outdated: the registry of packages could not be asked: .*127\.0\.0\.1:9.*\n$/,
  );
});
