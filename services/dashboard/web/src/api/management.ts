import type { ChangeName, OperationName, ReadName, RequestOf, ResponseOf } from '../../../wire/management.ts';
import { getResponse, postForResponse } from './client.ts';

/** A response of the management API. */
export interface Managed<Name extends OperationName> {
  body: ResponseOf<Name>;
  /** Version of the object, which a change of it needs; undefined: it is no object. */
  etag: string | undefined;
  /** False: a data plane did not confirm the change in time; it follows when it is back. */
  isConfirmed: boolean;
}

/** Conditions of a change. */
export interface ChangeOptions {
  /** Version of the object that the user saw. */
  etag?: string | undefined;
  /** The same for a repeated call, so that it makes one object. */
  idempotencyKey?: string;
}

/** Calls an operation that reads. @throws {ApiError} for every failure but an abort */
export async function readManagement<Name extends ReadName>(
  operation: Name,
  request: RequestOf<Name>,
  signal?: AbortSignal,
): Promise<Managed<Name>> {
  const sent = { request: JSON.stringify(textRequest(request)) };
  return await managed(await getResponse(`/api/management/${operation}`, sent, signal));
}

/** Calls an operation that changes something; asks who the user is if needed. @throws {ApiError} */
export async function changeManagement<Name extends ChangeName>(
  operation: Name,
  request: RequestOf<Name>,
  { etag, idempotencyKey }: ChangeOptions = {},
): Promise<Managed<Name>> {
  const sent = { ...textRequest(request), ifMatch: etag, idempotencyKey };
  return await managed(await postForResponse(`/api/management/${operation}`, sent));
}

async function managed<Name extends OperationName>(response: Response): Promise<Managed<Name>> {
  const { headers } = response;
  const isConfirmed = !headers.has('x-gateway-unconfirmed');
  return { body: await response.json(), etag: headers.get('etag') ?? undefined, isConfirmed };
}

/** Returns the request with its query as texts. */
function textRequest(request: { query?: object }) {
  return { ...request, ...(request.query !== undefined && { query: textsOf(request.query) }) };
}

/** Converts parameters to the texts that a URL would have. */
function textsOf(parameters: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => [name, textOf(value)]),
  );
}

function textOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'object' && value !== null ? textsOf(value) : String(value);
}
