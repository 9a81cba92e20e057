import { CAPABILITY_ENDPOINTS, type ErrorCode, type GatewayError } from '@model-gateway/shared';
import type { KeyContext } from '../keys/key-context.ts';
import { modelOf, type RequestRecord } from '../request-record.ts';

/** Counts requests of a key that were refused, for one model and reason, before a provider got them. */
export interface RefusalCount {
  key: KeyContext;
  /** Undefined if refused before the model was known. */
  modelId: string | undefined;
  capability: string;
  status: number;
  errorCode: ErrorCode;
  count: number;
  /** Unix milliseconds. */
  firstAtMs: number;
  lastAtMs: number;
}

export interface TallyBounds {
  /** Maximum distinct refusals, in total and per key. */
  maxEntries: number;
  maxEntriesPerKey: number;
}

const TALLY_BOUNDS: TallyBounds = { maxEntries: 5_000, maxEntriesPerKey: 50 };

interface KeyRefusals {
  entries: number;
  /** By model id, else by route: model ids do not begin with a slash. */
  bySubject: Map<string, Map<ErrorCode, RefusalCount>>;
}

const CAPABILITIES: ReadonlyMap<string, string> = new Map(
  Object.entries(CAPABILITY_ENDPOINTS).flatMap(([capability, routes]) =>
    routes.map((route) => [route, capability] as const),
  ),
);

export type RefusedRecord = Pick<RequestRecord, 'isServed' | 'key' | 'model' | 'route' | 'servingModel'>;

/**
 * Counts refused requests in memory, within bounds. A request of a flood costs three lookups and an addition.
 */
export class RefusalTally {
  readonly #bounds: TallyBounds;
  readonly #onUnlisted: () => void;
  #byKey = new Map<string, KeyRefusals>();
  #entries = 0;

  /** @param onUnlisted called for a refusal beyond the bounds */
  constructor(onUnlisted: () => void, bounds: TallyBounds = TALLY_BOUNDS) {
    this.#onUnlisted = onUnlisted;
    this.#bounds = bounds;
  }

  get isEmpty(): boolean {
    return this.#entries === 0;
  }

  /**
   * Counts a request for a model that was refused before a provider got it. Revoked and unknown keys are
   * left out, because nobody could see them.
   * @returns true if it was counted
   */
  count(record: RefusedRecord, { code, status }: Pick<GatewayError, 'code' | 'status'>): boolean {
    const { isServed, key, route } = record;
    const model = modelOf(record);
    if (key === undefined || isServed || code === 'invalid_api_key') return false;
    const capability = CAPABILITIES.get(route);
    if (capability === undefined) return false;
    const nowMs = Date.now();
    const ofKey = this.#byKey.get(key.keyId);
    const found = ofKey?.bySubject.get(model?.id ?? route)?.get(code);
    if (found !== undefined) {
      found.count += 1;
      found.lastAtMs = nowMs;
      return true;
    }
    const isFull = (ofKey?.entries ?? 0) >= this.#bounds.maxEntriesPerKey;
    if (isFull || this.#entries >= this.#bounds.maxEntries) {
      this.#onUnlisted();
      return false;
    }
    const entry = { key, modelId: model?.id, capability, status, errorCode: code, count: 1 };
    this.#add(ofKey, model?.id ?? route, { ...entry, firstAtMs: nowMs, lastAtMs: nowMs });
    return true;
  }

  /** Returns and forgets everything counted so far. */
  take(): RefusalCount[] {
    const taken = [...this.#byKey.values()].flatMap(({ bySubject }) =>
      [...bySubject.values()].flatMap((byCode) => [...byCode.values()]),
    );
    this.#byKey = new Map();
    this.#entries = 0;
    return taken;
  }

  #add(known: KeyRefusals | undefined, subject: string, entry: RefusalCount): void {
    const ofKey = known ?? { entries: 0, bySubject: new Map() };
    if (known === undefined) this.#byKey.set(entry.key.keyId, ofKey);
    const byCode = ofKey.bySubject.get(subject) ?? new Map<ErrorCode, RefusalCount>();
    if (byCode.size === 0) ofKey.bySubject.set(subject, byCode);
    byCode.set(entry.errorCode, entry);
    ofKey.entries += 1;
    this.#entries += 1;
  }
}
