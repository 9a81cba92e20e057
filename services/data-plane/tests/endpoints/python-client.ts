import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll } from 'vitest';
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
