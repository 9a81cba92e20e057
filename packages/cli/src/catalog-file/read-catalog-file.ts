import { readFile } from 'node:fs/promises';
import { CommandFailure } from '../command-failure.ts';
import type { Io } from '../io.ts';
import { parseCatalogFile } from './parse-catalog-file.ts';

/**
 * The values in a catalog file, not yet checked against the schema; `-` is standard input.
 * @throws CommandFailure when it cannot be read, or is not plain YAML
 */
export async function readCatalogFile(file: string, io: Pick<Io, 'readStdin'>): Promise<unknown> {
  if (file === '-') return parseCatalogFile(await io.readStdin(), 'standard input');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(
      [`cannot read ${file}: ${error instanceof Error ? error.message : error}`],
      error,
    );
  }
  return parseCatalogFile(text, file);
}
