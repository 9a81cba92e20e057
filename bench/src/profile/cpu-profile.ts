import { z } from 'zod';

/** A profile of V8, as far as it is read here. */
export const cpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
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

/** Most expensive first, by the time spent in the code itself and not in what it calls. */
export function selfTimes({ nodes, samples, timeDeltas }: CpuProfile, by: 'file' | 'function'): SelfTime[] {
  const nameOf = new Map(nodes.map(({ id, callFrame }) => [id, name(callFrame, by)]));
  const totals = new Map<string, number>();
  let busyUs = 0;
  for (const [index, sample] of samples.entries()) {
    const of = nameOf.get(sample) ?? '?';
    if (of === '(idle)') continue;
    const us = timeDeltas[index] ?? 0;
    busyUs += us;
    totals.set(of, (totals.get(of) ?? 0) + us);
  }
  return [...totals]
    .map(([of, us]) => ({ name: of, ms: us / 1_000, share: us / busyUs }))
    .sort((left, right) => right.ms - left.ms);
}

function name(
  { functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame'],
  by: 'file' | 'function',
): string {
  // (idle), (program), (garbage collector), and native functions have none.
  if (url === '') return functionName || '(native)';
  const file = shortPath(url);
  return by === 'file' ? file : `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`;
}

/** From the top of the repository, or of the npm package. */
function shortPath(url: string): string {
  const path = decodeURIComponent(url).replace(/^file:\/\//, '');
  const [, inPackage] = /.*\/node_modules\/(.+)$/.exec(path) ?? [];
  const [, inRepository] = /\/((?:services|packages|bench)\/.+)$/.exec(path) ?? [];
  return inPackage ?? inRepository ?? path;
}
