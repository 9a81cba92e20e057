import { invalidField } from '@model-gateway/shared/errors';
import { isLargeNumber, nearestNumber } from '../json/exact-json.ts';
import { isObject, type JsonObject } from '../json/json-object.ts';

/** @throws GatewayError 400 for a value that is no text */
export function textAt(value: unknown, path: string): string {
  if (typeof value === 'string' && !isLargeNumber(value)) return value;
  throw invalidField(path, 'must be a string');
}

/** @throws GatewayError 400 for a value that is no number */
export function numberAt(value: unknown, path: string): number {
  const number = nearestNumber(value);
  if (typeof number === 'number') return number;
  throw invalidField(path, 'must be a number');
}

/** @throws GatewayError 400 for a value that is neither true nor false */
export function flagAt(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value;
  throw invalidField(path, 'must be true or false');
}

/** @throws GatewayError 400 for a value that is no object */
export function objectAt(value: unknown, path: string): JsonObject {
  if (isObject(value)) return value;
  throw invalidField(path, 'must be an object');
}

/** @throws GatewayError 400 for a value that is no array */
export function listAt(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw invalidField(path, 'must be an array');
}

/** @throws GatewayError 400 for a value that is no array of texts */
export function textsAt(value: unknown, path: string): string[] {
  return listAt(value, path).map((entry, index) => textAt(entry, `${path}[${index}]`));
}

/** @throws GatewayError 400 for a value that is no array of objects */
export function objectsAt(value: unknown, path: string): JsonObject[] {
  return listAt(value, path).map((entry, index) => objectAt(entry, `${path}[${index}]`));
}
