import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { CommandFailure } from '../command-failure.ts';
import type { Io } from '../io.ts';
import { readInput } from '../read-input.ts';
import { type ParsedCatalogFile, parseCatalogFile } from './parse-catalog-file.ts';

/** The control plane's path for problems of the whole file. */
const WHOLE_FILE = 'catalog';
/** A problem that the control plane reports: a path, and what is wrong there. */
const PROBLEM = /^([A-Za-z_][\w.[\]-]*): (?:has no field "([^"]+)")?/;

/**
 * Sends a catalog file to the control plane, which checks it.
 * @param file the path; `-` is standard input
 * @param send gets the file as JSON
 * @throws CommandFailure when the file cannot be read, is not plain YAML, or is refused; lists the line of
 *   every mistake, from top to bottom
 */
export async function sendCatalogFile<Answer>(
  file: string,
  io: Pick<Io, 'readStdin'>,
  send: (documentJson: string) => Promise<Answer>,
): Promise<Answer> {
  const source = file === '-' ? 'standard input' : file;
  const parsed = parseCatalogFile(await readInput(file, io), source);
  try {
    return await send(JSON.stringify(parsed.content));
  } catch (error) {
    const lines = problemLines(error, parsed, source);
    throw lines === undefined ? error : new CommandFailure(lines, { cause: error });
  }
}

function problemLines(error: unknown, { lineOf }: ParsedCatalogFile, source: string): string[] | undefined {
  if (grpcStatus(error) !== GrpcStatus.INVALID_ARGUMENT) return undefined;
  if (!(error instanceof Error && 'details' in error) || typeof error.details !== 'string') return undefined;
  return error.details
    .split('\n')
    .filter((problem) => problem.trim() !== '')
    .map((problem) => {
      const [, path, unknownField] = PROBLEM.exec(problem) ?? [];
      if (path === undefined) return { line: 0, text: problem };
      const line = lineOf([path === WHOLE_FILE ? '' : path, unknownField ?? ''].join('.'));
      return { line, text: `${source}: line ${line}: ${problem}` };
    })
    .sort((one, other) => one.line - other.line)
    .map(({ text }) => text);
}
