import type { CorePart } from './core-parts.ts';

/** Remembers since when parts are not operational, as this process has seen it. */
export class PartMemory {
  readonly #troubles = new Map<string, { status: CorePart['status']; since: number }>();

  /** To be called every second or so: a trouble began when it was first seen. @param now Unix seconds */
  note(parts: readonly CorePart[], now: number): void {
    for (const { id, status } of parts) {
      if (status === 'operational') this.#troubles.delete(id);
      else if (this.#troubles.get(id)?.status !== status) this.#troubles.set(id, { status, since: now });
    }
  }

  /** Unix seconds; null: it was operational when it was last noted. */
  since(id: string): number | null {
    return this.#troubles.get(id)?.since ?? null;
  }
}
