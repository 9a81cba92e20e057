import type { CorePart } from './core-parts.ts';

/** Remembers since when parts have not been operational, as far as this process has seen it. */
export class PartMemory {
  readonly #troubles = new Map<string, { status: CorePart['status']; since: number }>();

  /** Call this about every second: a trouble begins when it is first seen here. @param now Unix seconds */
  update(parts: readonly CorePart[], now: number): void {
    for (const { id, status } of parts) {
      if (status === 'operational') this.#troubles.delete(id);
      else if (this.#troubles.get(id)?.status !== status) this.#troubles.set(id, { status, since: now });
    }
  }

  /** Unix seconds; null when the part was operational at the last update. */
  since(id: string): number | null {
    return this.#troubles.get(id)?.since ?? null;
  }
}
