import { createHash } from 'node:crypto';
import { fitUnits, NO_UNITS, UNITS, type Units } from '@model-gateway/shared';

/** Ids are indexed, so their length is limited. */
const MAX_LENGTH = 300;
/** Characters that remain of a changed request id, before a hash of the original. */
const MAX_CHANGED_ID = 250;
/** About 24 days; durations are stored as 32-bit integers. */
const MAX_DURATION_MS = 2 ** 31 - 1;
const MAX_TIME_MS = 8.64e15;

/** Makes the values of one record storable: clamps, cuts or replaces those that do not fit. */
export class RecordFitter {
  /** Names of the fields that did not fit. */
  readonly clampedFields = new Set<string>();

  /** @param fallback for an empty text */
  text(field: string, value: string, fallback: string, maxLength = MAX_LENGTH): string {
    const fitted = fitText(value, maxLength) || fallback;
    return fitted === value ? value : this.#clamp(field, fitted);
  }

  /** @returns undefined for an empty or absent text */
  optionalText(field: string, value: string | undefined, maxLength = MAX_LENGTH): string | undefined {
    return value === undefined || value === '' ? undefined : this.text(field, value, '', maxLength);
  }

  /** Changes different ids to different ones. @param fallback for an empty id */
  requestId(value: string, fallback: string): string {
    const fitted = this.text('request_id', value, fallback);
    if (fitted === value || value === '') return fitted;
    return `${fitted.slice(0, MAX_CHANGED_ID).toWellFormed()}~${createHash('sha256').update(value).digest('hex')}`;
  }

  oneOf<const Value extends string>(
    field: string,
    value: string,
    values: readonly Value[],
    fallback: Value,
  ): Value {
    return values.find((each) => each === value) ?? this.#clamp(field, fallback);
  }

  integer(field: string, value: number | undefined, min: number, max: number): number | undefined {
    if (value === undefined || (value >= min && value <= max)) return value;
    return this.#clamp(field, undefined);
  }

  money(field: string, value: string, max: bigint): bigint {
    const nanoUsd = BigInt(value);
    return nanoUsd <= max ? nanoUsd : this.#clamp(field, max);
  }

  durationMs(field: string, value: number): number {
    if (value >= 0 && value <= MAX_DURATION_MS) return value;
    return this.#clamp(field, value > 0 ? MAX_DURATION_MS : 0);
  }

  timeMs(field: string, value: string): number {
    const timeMs = Number(value);
    if (timeMs > 0 && timeMs <= MAX_TIME_MS) return timeMs;
    return this.#clamp(field, timeMs > 0 ? MAX_TIME_MS : 1);
  }

  units(field: string, counts: { [Unit in keyof Units]: string } | null): Units {
    if (counts === null) return this.#clamp(field, NO_UNITS);
    const numbers = Object.fromEntries(UNITS.map(({ unit }) => [unit, Number(counts[unit])]));
    const fitted = fitUnits(numbers);
    return UNITS.every(({ unit }) => fitted[unit] === numbers[unit]) ? fitted : this.#clamp(field, fitted);
  }

  list<Value>(field: string, values: readonly Value[], max: number): readonly Value[] {
    return values.length <= max ? values : this.#clamp(field, values.slice(-max));
  }

  #clamp<Value>(field: string, fitted: Value): Value {
    this.clampedFields.add(field);
    return fitted;
  }
}

/** Replaces what Postgres cannot store: NUL, and half a surrogate pair within JSON. */
function fitText(text: string, maxLength: number): string {
  return text.slice(0, maxLength).toWellFormed().replaceAll('\0', '\uFFFD');
}
