import { readFile } from 'node:fs/promises';
import { CommandFailure } from './command-failure.ts';
import type { Io } from './io.ts';

/** Reads the text of a file; `-` is standard input. @throws CommandFailure when it cannot be read */
export async function readInput(file: string, io: Pick<Io, 'readStdin'>): Promise<string> {
  if (file === '-') return await io.readStdin();
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandFailure([`cannot read ${file}: ${error instanceof Error ? error.message : error}`], {
      code: 'unreadable_file',
      cause: error,
    });
  }
}
