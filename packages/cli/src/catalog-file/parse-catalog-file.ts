import { LineCounter, parseDocument } from 'yaml';
import { CommandFailure } from '../command-failure.ts';
import { offsetOf } from './offset-of.ts';

/** Bounds uses of anchors, against a "billion laughs" file. */
const MAX_ALIASES = 100;

export interface ParsedCatalogFile {
  /** The plain values, not yet checked against the schema. */
  content: unknown;
  /**
   * Returns the line (from 1) of the text that a path such as `models[0].tier` names. For something that is
   * missing, returns the line of the part that should contain it.
   */
  lineOf(path: string): number;
}

/**
 * Parses YAML (or JSON, which is YAML) into plain values, for the control plane to check. Only plain YAML is
 * accepted: no duplicate keys, no tags beyond the core schema, no keys that are not strings.
 * @param source the name of the file in error messages
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
  // Warnings count as errors: they report unknown tags and directives, which change the meaning of the file.
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
    // The file uses an anchor that does not exist, or uses anchors too often.
    const problem = error instanceof Error ? error.message : String(error);
    throw new CommandFailure([`${source}: ${problem}`], { code: 'invalid_file' });
  }
}
