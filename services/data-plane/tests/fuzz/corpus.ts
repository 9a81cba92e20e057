import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Inputs that once failed, kept so that `npm test` tries them again. */
const CORPUS = join(import.meta.dirname, 'corpus');

export interface KeptInput {
  file: string;
  input: unknown;
}

export function keptInputs(target: string): KeptInput[] {
  const folder = join(CORPUS, target);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => ({
      file: shown(join(folder, name)),
      input: JSON.parse(readFileSync(join(folder, name), 'utf8')),
    }));
}

/** Keeps a failing input. @returns its file, as `--file` takes it */
export function keepInput(target: string, json: string): string {
  const folder = join(CORPUS, target);
  mkdirSync(folder, { recursive: true });
  const name = createHash('sha256').update(json).digest('hex').slice(0, 12);
  const file = join(folder, `${name}.json`);
  writeFileSync(file, `${json}\n`);
  return shown(file);
}

function shown(file: string): string {
  return relative(process.cwd(), file);
}
