import { LineCounter, parseDocument } from 'yaml';
import { CommandFailure } from '../command-failure.ts';
import { offsetOf } from './offset-of.ts';

/** More uses of anchors than any catalog needs; fewer than it takes to blow one up (a "billion laughs"). */
const MAX_ALIASES = 100;

export interface ParsedCatalogFile {
  /** Plain values, not yet checked against the schema. */
  content: unknown;
  /**
   * The line, from 1, in which the text has what a path such as `models[0].tier` names; of something that is
   * not there the line of what it would be a part of.
   */
  lineOf(path: string): number;
}

/**
 * YAML (or JSON, which is YAML) text → plain values, for the control plane to check. Plain YAML only: no
 * duplicate keys, no tags beyond the core schema, no keys that are not strings.
 * @param source how messages call the file
 * @throws CommandFailure with line and column of every syntax error
 */
export function parseCatalogFile(text: string, source: string): ParsedCatalogFile {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    uniqueKeys: true,
  });
  // A warning is what an unknown tag or directive gives: the file would mean something else than it says.
  const problems = [...document.errors, ...document.warnings].map(({ pos, message }) => {
    const { line, col } = lines.linePos(pos[0]);
    return `${source}: line ${line}, column ${col}: ${message}`;
  });
  if (problems.length > 0) throw new CommandFailure(problems, { code: 'invalid_file' });
  if (document.contents === null) throw new CommandFailure([`${source} is empty`], { code: 'invalid_file' });
  try {
    const content: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { content, lineOf: (path) => lines.linePos(offsetOf(document, path)).line };
  } catch (error) {
    // An alias of an anchor that does not exist, or too many aliases.
    const problem = error instanceof Error ? error.message : String(error);
    throw new CommandFailure([`${source}: ${problem}`], { code: 'invalid_file' });
  }
}
