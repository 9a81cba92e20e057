const ID = /\b([a-z]+)_[0-9A-Za-z]{20,24}\b/g;
const DAYS_MS = 86_400_000;
/** Times that are set by the clock, and not by a test, are this close to now. */
const NEAR_MS = 100 * DAYS_MS;

/** Replaces ids, secrets and times of now, so that equal installations have equal texts. */
export class Names {
  readonly #ids = new Map<string, string>();

  /** Numbers the ids of a kind in the order in which they appear. */
  replace(text: string): string {
    return withoutRandom(text).replaceAll(ID, (id, kind: string) => {
      const known = this.#ids.get(id) ?? `${kind}_${this.#ids.size}`;
      this.#ids.set(id, known);
      return known;
    });
  }

  /** Replaces ids that no text before has shown by their kind alone. */
  replaceKnown(text: string): string {
    return withoutRandom(text).replaceAll(ID, (id, kind: string) => this.#ids.get(id) ?? `${kind}_?`);
  }
}

function withoutRandom(text: string): string {
  return (
    text
      .replaceAll(/gw_(live|admin|scim)_\w+/g, 'gw_$1_SECRET')
      .replaceAll(/\bwhsec_[\w+/]+=*/g, 'whsec_SECRET')
      .replaceAll(/("duration_ms": ?)\d+|\(\d+ ms\)/g, '$1N')
      // Columns are as wide as their texts.
      .replaceAll(/ {2,}/g, '  ')
      .replaceAll(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:\d\d)?)?/g, (time) =>
        isNear(Date.parse(time)) ? 'NOW' : time,
      )
      .replaceAll(/\b1\d{12}\b/g, (time) => (isNear(Number(time)) ? 'NOW' : time))
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UUID')
      .replaceAll(/\b[0-9a-f]{32,}\b/g, 'HEX')
      .replaceAll(/(?<![\w-])[\w-]{43}(?![\w-])/g, 'TOKEN')
      .replaceAll(/(\bup |"uptime_seconds": )\d+/g, '$1N')
  );
}

function isNear(timeMs: number): boolean {
  return Math.abs(timeMs - Date.now()) < NEAR_MS;
}
