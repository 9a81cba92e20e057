import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Runs the benchmark as `npm run bench` does. */
export function runBench(
  args: readonly string[],
  timeoutMs: number,
): Promise<{ code: number | string; errors: string }> {
  return new Promise((resolve) => {
    // Vitest's own settings are left out: they would make the program a test.
    const { NODE_ENV: _, VITEST: __, ...env } = process.env;
    execFile(process.execPath, [MAIN, ...args], { env, timeout: timeoutMs }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, errors: stderr }),
    );
  });
}
