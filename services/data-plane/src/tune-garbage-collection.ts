import { setFlagsFromString } from 'node:v8';

/**
 * Sets options of V8 for many short requests (docs/performance.md, "Pauses"). V8 reads them at each
 * collection, so they can be set at run time.
 */
export function tuneGarbageCollection(): void {
  // Without this, V8 concludes at startup, when its young generation has room for a few requests only, that
  // requests live long. From then on, it creates them in the old generation.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // Without this, V8 shrinks the young generation when idle, and then collects it twenty times a second.
  setFlagsFromString('--no-memory-reducer');
}
