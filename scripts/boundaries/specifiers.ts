import { parse } from 'es-module-lexer';
import { isNode, lineAt, parseNodes } from './syntax-tree.ts';

/** The target of an import or a re-export. */
export interface Specifier {
  line: number;
  /** The text as written; if it is computed, the expression. */
  text: string;
  computed: boolean;
}

/** Finds what a source file imports: values and types, static and dynamic, and re-exports. */
export function specifiersOf(source: string, file: string): Specifier[] {
  return file.endsWith('x') ? fromSyntaxTree(source) : fromLexer(source, file);
}

function fromLexer(source: string, file: string): Specifier[] {
  return parse(source, file)[0].flatMap((found) => {
    if (found.type === 'import-meta') return [];
    const computed = found.specifier === undefined || (found.type === 'dynamic' && found.glob);
    const text = found.specifier ?? source.slice(found.start, found.end);
    return [{ line: lineAt(source, found.importStart), text, computed }];
  });
}

/** Reads JSX, which the faster lexer takes for comparisons. */
function fromSyntaxTree(source: string): Specifier[] {
  // Only import and export declarations, import() and import types have a source.
  return parseNodes(source, 'tsx').flatMap(({ source: target, start }) => {
    if (!isNode(target)) return [];
    const written = typeof target.value === 'string' ? target.value : undefined;
    const text = written ?? source.slice(target.start, target.end);
    return [{ line: lineAt(source, start), text, computed: written === undefined }];
  });
}
