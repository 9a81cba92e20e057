import { z } from 'zod';

/** The parts of a V8 profile that are read here. */
export const cpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
      children: z.array(z.int()).optional(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.int() }),
    }),
  ),
  samples: z.array(z.int()),
  /** Microseconds between samples. */
  timeDeltas: z.array(z.int()),
});
export type CpuProfile = z.infer<typeof cpuProfile>;

export interface SelfTime {
  /** `function file:line`, or a file. */
  name: string;
  ms: number;
  /** Of the time in which anything was done. */
  share: number;
}

/** A longer gap counts as so many usual gaps, because a process that waits for its core does not work. */
const MAX_GAP = 4;

/**
 * The most expensive code first, by the time spent in the code itself and not in what it calls.
 * @param by `owner`: the file of this repository for which the time is spent, however deep below it
 */
export function selfTimes(
  { nodes, samples, timeDeltas }: CpuProfile,
  by: 'file' | 'function' | 'owner',
): SelfTime[] {
  const nameOf =
    by === 'owner' ? owners(nodes) : new Map(nodes.map(({ id, callFrame }) => [id, name(callFrame, by)]));
  const usual = [...timeDeltas].sort((left, right) => left - right)[timeDeltas.length >> 1] ?? 0;
  const totals = new Map<string, number>();
  let busyUs = 0;
  for (const [index, sample] of samples.entries()) {
    const of = nameOf.get(sample) ?? '?';
    if (of === '(idle)') continue;
    const us = Math.min(timeDeltas[index] ?? 0, MAX_GAP * usual);
    busyUs += us;
    totals.set(of, (totals.get(of) ?? 0) + us);
  }
  return [...totals]
    .map(([of, us]) => ({ name: of, ms: us / 1_000, share: us / busyUs }))
    .sort((left, right) => right.ms - left.ms);
}

/** Finds the owner of each node. A callback that Node calls has no caller: it is its own owner. */
function owners(nodes: CpuProfile['nodes']): Map<number, string> {
  const parentOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const frameOf = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const ownerOf = (id: number): string => {
    for (let at: number | undefined = id; at !== undefined; at = parentOf.get(at)) {
      const file = shortPath(frameOf.get(at)?.url ?? '');
      if (/^(services|packages)\//.test(file)) return file;
    }
    const frame = frameOf.get(id);
    return frame === undefined ? '?' : name(frame, 'file');
  };
  return new Map(nodes.map(({ id }) => [id, ownerOf(id)]));
}

function name(
  { functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame'],
  by: 'file' | 'function',
): string {
  // (idle), (program), (garbage collector) and native functions have no URL.
  if (url === '') return functionName || '(native)';
  const file = shortPath(url);
  return by === 'file' ? file : `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`;
}

/** The path from the top of the repository, or of the npm package. */
function shortPath(url: string): string {
  const path = decodeURIComponent(url).replace(/^file:\/\//, '');
  const [, inPackage] = /.*\/node_modules\/(.+)$/.exec(path) ?? [];
  const [, inRepository] = /\/((?:services|packages|bench)\/.+)$/.exec(path) ?? [];
  return inPackage ?? inRepository ?? path;
}
