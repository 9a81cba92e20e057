import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const FILE = 'filled.json';

const description = z.object({
  /** How many usage records it was filled with. */
  records: z.int(),
  payers: z.int(),
  /** The pepper of its keys. */
  pepper: z.string(),
  rawKeys: z.array(z.string()),
});

/** A database with simulated usage. */
export interface FilledStore extends z.infer<typeof description> {
  dataDir: string;
}

/** @returns undefined if the folder has none */
export async function findStore(folder: string): Promise<FilledStore | undefined> {
  try {
    const text = await readFile(join(folder, FILE), 'utf8');
    return { ...description.parse(JSON.parse(text)), dataDir: dataDirIn(folder) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the description, last: a folder without it is not a filled store. */
export async function describeStore(folder: string, store: Omit<FilledStore, 'dataDir'>): Promise<void> {
  await writeFile(join(folder, FILE), `${JSON.stringify(store)}\n`, { mode: 0o600 });
}

export function dataDirIn(folder: string): string {
  return join(folder, 'postgres');
}
