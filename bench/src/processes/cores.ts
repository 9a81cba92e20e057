import { execFileSync } from 'node:child_process';
import process from 'node:process';

/** The core of the process under test, and the cores of all others. */
export interface Cores {
  /** In the form that `taskset -c` takes; undefined: the system chooses the core. */
  underTest: string | undefined;
  /** All cores, for programs that may use any. */
  all: string | undefined;
  /** For the report. */
  says: string;
}

/** Moves this process and its later children off the first core, which the process under test gets. */
export function divideCores(): Cores {
  const allowed = allowedCores();
  if (allowed === undefined)
    return { underTest: undefined, all: undefined, says: 'no core is reserved: there is no taskset' };
  const [first, ...rest] = allowed;
  if (first === undefined || rest.length === 0) {
    return { underTest: undefined, all: undefined, says: 'no core is reserved: there is only one' };
  }
  taskset(['-a', '-c', '-p', rest.join(','), String(process.pid)]);
  const others = rest.length === 1 ? `core ${rest[0]}` : `cores ${rest.join(',')}`;
  return {
    underTest: String(first),
    all: allowed.join(','),
    says: `under test: core ${first}; all else: ${others}`,
  };
}

/** Moves a process and its later children to some cores. */
export function pinTo(pid: number, cores: string): void {
  taskset(['-a', '-c', '-p', cores, String(pid)]);
}

/** `pid 1's current affinity list: 0,2-4` → 0, 2, 3, 4 */
export function parseCoreList(text: string): number[] {
  const list = text.slice(text.lastIndexOf(':') + 1).trim();
  return list.split(',').flatMap((range) => {
    const [from = Number.NaN, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

function allowedCores(): number[] | undefined {
  try {
    return parseCoreList(taskset(['-c', '-p', String(process.pid)]));
  } catch {
    return undefined;
  }
}

function taskset(args: readonly string[]): string {
  return execFileSync('taskset', args, { encoding: 'utf8' });
}
