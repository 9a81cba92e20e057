import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@model-gateway/test-kit';

const ROOT = '/sys/fs/cgroup';

/** A memory limit of the kernel, like a container's: a process that needs more is killed. */
export interface MemoryLimit extends AsyncDisposable {
  /** The file into which a process writes its id to be limited. */
  procsFile: string;
}

/** @returns undefined where this user may not limit processes, as on most machines outside of a container */
export function limitMemory(bytes: number): MemoryLimit | undefined {
  const isV2 = existsSync(join(ROOT, 'cgroup.controllers'));
  const directory = join(ROOT, isV2 ? '' : 'memory', `gateway-test-${process.pid}-${Date.now()}`);
  const file = (name: string) => join(directory, name);
  try {
    mkdirSync(directory);
    writeFileSync(file(isV2 ? 'memory.max' : 'memory.limit_in_bytes'), String(bytes));
  } catch {
    remove(directory);
    return undefined;
  }
  return {
    procsFile: file('cgroup.procs'),
    // The kernel refuses while a process of the group is still ending.
    [Symbol.asyncDispose]: () => until(() => remove(directory)),
  };
}

function remove(directory: string): boolean {
  try {
    if (existsSync(directory)) rmdirSync(directory);
    return true;
  } catch {
    return false;
  }
}
