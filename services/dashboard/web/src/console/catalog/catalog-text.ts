import { Document, isMap, isNode, isSeq, LineCounter, parseDocument } from 'yaml';

/** Problem of a catalog file at a line, from 1. */
export interface LineProblem {
  line: number;
  message: string;
}

/** A catalog file as text, with what is found in it. Changes keep comments and unknown members. */
export interface CatalogText {
  document: Document;
  /** Problems of YAML itself. */
  problems: LineProblem[];
  lineOf: (path: Path) => number;
}

export type Path = readonly (string | number)[];

/** Writes a catalog as YAML. */
export function writeCatalog(content: unknown): string {
  return new Document(content).toString({ lineWidth: 0 });
}

export function readCatalog(text: string): CatalogText {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  return {
    document,
    problems: document.errors.map(({ message, pos: [at] }) => ({
      line: counter.linePos(at).line,
      message: message.split('\n')[0] ?? message,
    })),
    lineOf: (path) => {
      for (let length = path.length; length > 0; length--) {
        const node = document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range) return counter.linePos(node.range[0]).line;
      }
      return 1;
    },
  };
}

/** Finds the lines of the problems that the control plane reports, each as `models[0].name: message`. */
export function problemsOf(message: string, { lineOf }: Pick<CatalogText, 'lineOf'>): LineProblem[] {
  return message.split('\n').map((line) => {
    const [, path, text] = /^([\w.[\]-]+): (.+)$/.exec(line) ?? [];
    if (path === undefined || text === undefined) return { line: 1, message: line };
    return { line: lineOf(pathOf(path)), message: `${path}: ${text}` };
  });
}

/** Splits `models[0].name` into its steps. The first letter of a message is upper case. */
function pathOf(text: string): Path {
  return (text.match(/[^.[\]]+/g) ?? []).map((step, index) => {
    if (/^\d+$/.test(step)) return Number(step);
    return index === 0 ? step.toLowerCase() : step;
  });
}

/** Returns the value of a member as text; empty: there is none. A list of texts is joined with commas. */
export function textAt({ document }: Pick<CatalogText, 'document'>, path: Path): string {
  const value = document.getIn(path, true);
  if (isSeq(value)) return value.items.map(String).join(', ');
  const scalar = document.getIn(path);
  return scalar === undefined || scalar === null || isMap(value) ? '' : String(scalar);
}

/** Counts the entries of a list. */
export function lengthAt({ document }: Pick<CatalogText, 'document'>, path: Path): number {
  const value = document.getIn(path, true);
  return isSeq(value) ? value.items.length : 0;
}

/** Returns the paths of the entries of a list. */
export function entriesAt(catalog: Pick<CatalogText, 'document'>, path: Path): Path[] {
  return Array.from({ length: lengthAt(catalog, path) }, (_, index) => [...path, index]);
}

/** Names the members of an object. */
export function membersAt({ document }: Pick<CatalogText, 'document'>, path: Path): string[] {
  const value = document.getIn(path, true);
  return isMap(value) ? value.items.map(({ key }) => String(key)) : [];
}

export type ValueKind = 'text' | 'number' | 'list';

/** Returns the text with another value of a member; an empty one removes it. */
export function withValue(text: string, path: Path, value: string, kind: ValueKind): string {
  const document = parseDocument(text);
  const trimmed = value.trim();
  if (trimmed === '') document.deleteIn(path);
  else document.setIn(path, converted(trimmed, kind));
  return document.toString({ lineWidth: 0 });
}

/** Returns the text with another entry at the end of a list. */
export function withEntry(text: string, path: Path, entry: object): string {
  const document: Document = parseDocument(text);
  document.contents ??= document.createNode({});
  if (!isSeq(document.getIn(path, true))) document.setIn(path, document.createNode([]));
  document.addIn(path, document.createNode(entry));
  return document.toString({ lineWidth: 0 });
}

/** Returns the text without a member or an entry. */
export function without(text: string, path: Path): string {
  const document = parseDocument(text);
  document.deleteIn(path);
  return document.toString({ lineWidth: 0 });
}

function converted(text: string, kind: ValueKind): unknown {
  if (kind === 'number' && /^\d+$/.test(text)) return Number(text);
  if (kind !== 'list') return text;
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
