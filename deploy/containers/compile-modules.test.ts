import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('compile-modules.mjs', import.meta.url));

it('Node uses the compiled code of an image from a read-only folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'compile-modules-'));
  try {
    const module = join(folder, 'module.ts');
    writeFileSync(module, 'export function called(count: number): number {\n  return count + 1;\n}\n');
    const main = join(folder, 'main.mjs');
    writeFileSync(
      main,
      `const { called } = await import(${JSON.stringify(pathToFileURL(module).href)}); called(1);`,
    );
    const compiled = join(folder, 'compiled');
    const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: compiled };
    execFileSync(process.execPath, [PROGRAM, module], { env });
    chmodSync(compiled, 0o555);
    const { status, stderr } = spawnSync(process.execPath, [main], {
      env: { ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stderr).toMatch(/V8 code cache for \w+ file:\/\/\S+module\.ts was accepted/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
