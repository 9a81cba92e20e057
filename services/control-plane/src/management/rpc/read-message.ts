import type { MethodDefinition } from '@grpc/grpc-js';
import { invalidField, unknownField } from '../errors/request-errors.ts';

type Definition = Pick<MethodDefinition<object, object>, 'requestDeserialize' | 'requestSerialize'>;

/**
 * Reads a request in JSON into the form that gRPC delivers. Protobuf drops unknown fields and converts values
 * of other types, so the result is compared with what was sent.
 * @throws ManagementError 422 unknown_field, 400 invalid_request
 */
export function readMessage({ requestDeserialize, requestSerialize }: Definition, sent: object): object {
  let message: object;
  try {
    message = requestDeserialize(requestSerialize(sent));
  } catch {
    throw invalidField('request body', 'a field has a value of the wrong type');
  }
  requireSame(sent, message, '');
  return message;
}

/** @throws ManagementError if anything that was sent is not in the message */
function requireSame(sent: unknown, read: unknown, path: string): void {
  if (Array.isArray(sent) && Array.isArray(read)) {
    for (const [index, item] of sent.entries()) requireSame(item, read[index], `${path}[${index}]`);
  } else if (isObject(sent) && isObject(read)) {
    const fields = new Map(Object.entries(read));
    for (const [name, value] of Object.entries(sent)) {
      const at = path === '' ? name : `${path}.${name}`;
      // A field that is null is absent.
      if (value === null) continue;
      if (!fields.has(name)) throw unknownField(at, 'request body');
      requireSame(value, fields.get(name), at);
    }
  } else if (isObject(sent) || isObject(read) || String(sent) !== String(read)) {
    // A 64-bit integer is equal as a number and as a string of digits.
    throw invalidField(path, 'has a value of the wrong type, or out of range');
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
