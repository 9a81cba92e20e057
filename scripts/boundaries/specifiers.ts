import { parse } from 'es-module-lexer';
import { parseAst } from 'vitest/node';

/** The target that an import or a re-export names. */
export interface Specifier {
  line: number;
  /** The text as written; if it is computed, the expression. */
  text: string;
  computed: boolean;
}

/** Finds what a source file imports: values and types, static and dynamic, and re-exports. */
export function specifiersOf(source: string, file: string): Specifier[] {
  return file.endsWith('x') ? ofSyntaxTree(source) : ofLexer(source, file);
}

function ofLexer(source: string, file: string): Specifier[] {
  return parse(source, file)[0].flatMap((found) => {
    if (found.type === 'import-meta') return [];
    const computed = found.specifier === undefined || (found.type === 'dynamic' && found.glob);
    const text = found.specifier ?? source.slice(found.start, found.end);
    return [{ line: lineAt(source, found.importStart), text, computed }];
  });
}

/** Used for JSX, because the lexer is fast, but takes JSX for comparisons. */
function ofSyntaxTree(source: string): Specifier[] {
  const found: Specifier[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    // Only import and export declarations, import() and import types have a source.
    const named = 'source' in node ? node.source : null;
    if (isNode(node) && isNode(named)) {
      const written = 'value' in named && typeof named.value === 'string' ? named.value : undefined;
      const text = written ?? source.slice(named.start, named.end);
      found.push({ line: lineAt(source, node.start), text, computed: written === undefined });
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(source, { lang: 'tsx' }));
  return found;
}

function isNode(value: unknown): value is { start: number; end: number } {
  return typeof value === 'object' && value !== null && 'start' in value && 'end' in value;
}

function lineAt(source: string, position: number): number {
  return source.slice(0, position).split('\n').length;
}
