import { invalidField } from '@model-gateway/shared/errors';
import { isLargeNumber, nearestNumber } from '../json/exact-json.ts';
import { isObject, type JsonObject } from '../json/json-object.ts';

/** Each function throws GatewayError 400 for a value of another type. */

export function textAt(value: unknown, path: string): string {
  if (typeof value === 'string' && !isLargeNumber(value)) return value;
  throw invalidField(path, 'must be a string');
}

export function numberAt(value: unknown, path: string): number {
  const number = nearestNumber(value);
  if (typeof number === 'number') return number;
  throw invalidField(path, 'must be a number');
}

export function flagAt(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value;
  throw invalidField(path, 'must be true or false');
}

export function objectAt(value: unknown, path: string): JsonObject {
  if (isObject(value)) return value;
  throw invalidField(path, 'must be an object');
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw invalidField(path, 'must be an array');
}

export function textsAt(value: unknown, path: string): string[] {
  return listAt(value, path).map((entry, index) => textAt(entry, `${path}[${index}]`));
}

export function objectsAt(value: unknown, path: string): JsonObject[] {
  return listAt(value, path).map((entry, index) => objectAt(entry, `${path}[${index}]`));
}
