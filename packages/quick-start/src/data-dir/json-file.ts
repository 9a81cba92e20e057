import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import type { z } from 'zod';

/** Reads a file. Undefined when it is missing, broken or has another form; it is then made anew. */
export function readJsonFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** Writes a file that only its owner can read. Readers never see half of it. */
export function writeJsonFile(path: string, content: unknown): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
}
