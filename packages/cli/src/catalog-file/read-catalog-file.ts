import type { Io } from '../io.ts';
import { readInput } from '../read-input.ts';
import { parseCatalogFile } from './parse-catalog-file.ts';

/**
 * The values in a catalog file, not yet checked against the schema; `-` is standard input.
 * @throws CommandFailure when it cannot be read, or is not plain YAML
 */
export async function readCatalogFile(file: string, io: Pick<Io, 'readStdin'>): Promise<unknown> {
  return parseCatalogFile(await readInput(file, io), file === '-' ? 'standard input' : file);
}
