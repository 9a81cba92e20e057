import type { Import } from './imports.ts';

/** Maps importing node → imported node → the first such import. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, Import>>;

/** Returns a line for each circle of imports between packages, files, or folders of a service. */
export function findCircles(imports: readonly Import[]): string[] {
  const atRun = imports.filter(({ inTest }) => !inTest);
  return [
    ...circlesOf(
      graphOf(atRun, ({ from, to }) => [from.folder, to?.folder]),
      'packages',
    ),
    ...circlesOf(
      graphOf(imports, ({ file, path }) => [file, path]),
      'files',
    ),
    ...circlesOf(
      graphOf(
        atRun.filter(({ from, to }) => from === to && from.folder.startsWith('services/')),
        ({ file, path }) => [folderOf(file), path && folderOf(path)],
      ),
      'folders of a service',
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

/** Reports one shortest circle of each knot; fix it to see the next. */
function circlesOf(graph: Graph, of: string): string[] {
  const lines: string[] = [];
  const reported = new Set<string>();
  for (const start of nodesOnCircles(graph)) {
    if (reported.has(start)) continue;
    const found = [...(graph.get(start)?.keys() ?? [])]
      .flatMap((next) => [pathBetween(graph, next, start) ?? []])
      .filter(({ length }) => length > 0)
      .sort((a, b) => a.length - b.length)[0];
    if (found === undefined) continue;
    for (const node of found) reported.add(node);
    const circle = [start, ...found];
    const by = circle.flatMap((from, index) => graph.get(from)?.get(circle[index + 1] ?? '') ?? []);
    const places = by.map(({ file, line, specifier }) => `${file}:${line} imports ${specifier}`).join(', ');
    lines.push(`${circle.join(' → ')}: ${of} import each other in a circle: ${places}`);
  }
  return lines;
}

/** Returns the nodes that can be on a circle, by removing dead ends until none is left. */
function nodesOnCircles(graph: Graph): string[] {
  let left = [...graph.keys()];
  for (;;) {
    const leadsOn = new Set(left);
    const next = left.filter((node) => [...(graph.get(node)?.keys() ?? [])].some((to) => leadsOn.has(to)));
    if (next.length === left.length) return left;
    left = next;
  }
}

/** Returns the shortest path, with both ends. */
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
 * Maps `services/a/src/keys/x/y.ts` to `services/a/src/keys`. A file directly in `src/` is a folder of its
 * own, because such files import all folders, or all folders import them.
 */
function folderOf(file: string): string {
  return /^.*?\/src\/[^/]+/.exec(file)?.[0] ?? file.split('/').slice(0, 3).join('/');
}
