import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import type { z } from 'zod';

/** Reads a file; undefined when it is missing or malformed. Callers then create it again. */
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

/** Writes a file atomically, readable only by its owner. */
export function writeJsonFile(path: string, content: unknown): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
}
