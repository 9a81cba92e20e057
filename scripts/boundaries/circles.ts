import type { Import } from './imports.ts';

/** An import between folders of a service that closes a circle, and is allowed to. */
export interface BackArrow {
  /** A folder directly below the `src/` of a service, such as `services/control-plane/src/pools`. */
  from: string;
  to: string;
  because: string;
}

/** For each importing node and each node that it imports: the first such import. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, Import>>;

/**
 * Returns a line for each circle between packages, between files, and between folders of a service, where the
 * arrows in `allowed` do not count. It also returns a line for each of these arrows that closes no circle, so
 * that the list stays true.
 */
export function findCircles(imports: readonly Import[], allowed: readonly BackArrow[]): string[] {
  const atRun = imports.filter(({ inTest }) => !inTest);
  const packages = graphOf(atRun, ({ from, to }) => [from.folder, to?.folder]);
  const files = graphOf(imports, ({ file, path }) => [file, path]);
  const folders = graphOf(
    atRun.filter(({ from, to }) => from === to && from.folder.startsWith('services/')),
    ({ file, path }) => [folderOf(file), path && folderOf(path)],
  );
  const isAllowed = (from: string, to: string) =>
    allowed.some((arrow) => arrow.from === from && arrow.to === to);
  const others = new Map(
    [...folders].map(([from, arrows]) => [from, new Map([...arrows].filter(([to]) => !isAllowed(from, to)))]),
  );
  return [
    ...circlesOf(packages, 'packages'),
    ...circlesOf(files, 'files'),
    ...circlesOf(others, 'folders of a service'),
    ...allowed
      .filter(({ from, to }) => !folders.get(from)?.has(to) || pathBetween(others, to, from) === undefined)
      .map(
        ({ from, to }) => `${from} → ${to} closes no circle any more: take it off the list of back arrows`,
      ),
  ];
}

function graphOf(
  imports: readonly Import[],
  arrow: (found: Import) => [from: string, to: string | undefined],
): Graph {
  const graph = new Map<string, Map<string, Import>>();
  for (const found of imports) {
    const [from, to] = arrow(found);
    if (to === undefined || to === from) continue;
    const arrows = graph.get(from) ?? new Map<string, Import>();
    if (!arrows.has(to)) arrows.set(to, found);
    graph.set(from, arrows);
  }
  return graph;
}

/** Reports the shortest of connected circles. The others are found when these are gone. */
function circlesOf(graph: Graph, of: string): string[] {
  const lines: string[] = [];
  const told = new Set<string>();
  for (const start of inKnots(graph)) {
    if (told.has(start)) continue;
    const found = [...(graph.get(start)?.keys() ?? [])]
      .flatMap((next) => [pathBetween(graph, next, start) ?? []])
      .filter(({ length }) => length > 0)
      .sort((a, b) => a.length - b.length)[0];
    if (found === undefined) continue;
    for (const node of found) told.add(node);
    const circle = [start, ...found];
    const by = circle.flatMap((from, index) => graph.get(from)?.get(circle[index + 1] ?? '') ?? []);
    const places = by.map(({ file, line, specifier }) => `${file}:${line} imports ${specifier}`).join(', ');
    lines.push(`${circle.join(' → ')}: ${of} import each other in a circle: ${places}`);
  }
  return lines;
}

/** The nodes through which a circle can pass: nodes from which nothing leads on are left out. */
function inKnots(graph: Graph): string[] {
  let left = [...graph.keys()];
  for (;;) {
    const leadsOn = new Set(left);
    const next = left.filter((node) => [...(graph.get(node)?.keys() ?? [])].some((to) => leadsOn.has(to)));
    if (next.length === left.length) return left;
    left = next;
  }
}

/** The shortest path, with both ends. */
function pathBetween(graph: Graph, from: string, to: string): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  for (const node of cameFrom.keys()) {
    if (node === to) {
      const path: string[] = [];
      for (let at: string | undefined = to; at !== undefined; at = cameFrom.get(at)) path.unshift(at);
      return path;
    }
    for (const next of graph.get(node)?.keys() ?? []) if (!cameFrom.has(next)) cameFrom.set(next, node);
  }
  return undefined;
}

/**
 * `services/a/src/keys/x/y.ts` → `services/a/src/keys`. A file directly in `src/` counts as a folder of its
 * own: some of these put the service together and import all folders, and some are imported by all.
 */
function folderOf(file: string): string {
  return /^.*?\/src\/[^/]+/.exec(file)?.[0] ?? file.split('/').slice(0, 3).join('/');
}
