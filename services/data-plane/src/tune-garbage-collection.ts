import { setFlagsFromString } from 'node:v8';

/**
 * Sets V8 for a process with many requests that live for milliseconds (docs/performance.md, "Pauses"). V8
 * reads these options at each collection, so they take effect after its start, too.
 */
export function tuneGarbageCollection(): void {
  // While a process starts, its young generation has room for a few requests only. So V8 finds that requests
  // live long, and from then on creates them in the old generation.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // After some idle seconds, V8 makes the young generation so small that the next requests fill it twenty
  // times a second.
  setFlagsFromString('--no-memory-reducer');
}
