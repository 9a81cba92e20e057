import type { Import } from './imports.ts';

/** Maps importing node → imported node → the first such import. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, Import>>;

/** Returns a line for each import cycle of packages, files, or folders of a service. */
export function findCycles(imports: readonly Import[]): string[] {
  const outsideTests = imports.filter(({ inTest }) => !inTest);
  return [
    ...cyclesOf(
      graphOf(outsideTests, ({ from, to }) => [from.folder, to?.folder]),
      'packages',
    ),
    ...cyclesOf(
      graphOf(imports, ({ file, path }) => [file, path]),
      'files',
    ),
    ...cyclesOf(
      graphOf(
        outsideTests.filter(({ from, to }) => from === to && from.folder.startsWith('services/')),
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

/** Reports one shortest cycle for each group of nodes that import each other; fix it to see the next. */
function cyclesOf(graph: Graph, kind: string): string[] {
  const lines: string[] = [];
  const reported = new Set<string>();
  for (const start of nodesOnCycles(graph)) {
    if (reported.has(start)) continue;
    const found = [...(graph.get(start)?.keys() ?? [])]
      .flatMap((next) => [pathBetween(graph, next, start) ?? []])
      .filter(({ length }) => length > 0)
      .sort((a, b) => a.length - b.length)[0];
    if (found === undefined) continue;
    for (const node of found) reported.add(node);
    const cycle = [start, ...found];
    const by = cycle.flatMap((from, index) => graph.get(from)?.get(cycle[index + 1] ?? '') ?? []);
    const places = by.map(({ file, line, specifier }) => `${file}:${line} imports ${specifier}`).join(', ');
    lines.push(`${cycle.join(' → ')}: ${kind} import each other in a cycle: ${places}`);
  }
  return lines;
}

/** Returns the nodes that can be on a cycle, by removing dead ends until none is left. */
function nodesOnCycles(graph: Graph): string[] {
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
