import type { ReadName, ReadRequest, ResponseOf } from '../../../wire/management.ts';
import { getJson } from './client.ts';

/** Calls an operation that reads. @throws {ApiError} for every failure but an abort */
export function readManagement<Name extends ReadName>(
  operation: Name,
  request: ReadRequest<Name>,
  signal?: AbortSignal,
): Promise<ResponseOf<Name>> {
  return getJson(`/api/management/${operation}`, { request: JSON.stringify(request) }, signal);
}
