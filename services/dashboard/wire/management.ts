import { z } from 'zod';
import type { Operations } from './management-types.ts';

export type * from './management-types.ts';

/** Operations of the management API, by their operationId. */
export type OperationName = keyof Operations;
export type ReadName = {
  [Name in OperationName]: Operations[Name]['method'] extends 'GET' ? Name : never;
}[OperationName];
export type ChangeName = Exclude<OperationName, ReadName>;
export type ResponseOf<Name extends OperationName> = Operations[Name]['response'];

/** Path, query and body, if the operation has such. */
export type RequestOf<Name extends OperationName> = Omit<Operations[Name], 'method' | 'response'>;

const value = z.union([z.string(), z.array(z.string())]);
const sent = {
  path: z.record(z.string(), z.string()).optional(),
  query: z.record(z.string(), z.union([value, z.record(z.string(), value)])).optional(),
};

/** JSON in the parameter `request` of GET /api/management/:operation */
export const readRequest = z.strictObject(sent);

/** POST /api/management/:operation */
export const changeRequest = z.strictObject({
  ...sent,
  body: z.unknown().optional(),
  /** ETag of the object that the user saw. */
  ifMatch: z.string().max(200).optional(),
  /** Same for each try of a call, which then takes effect once. */
  idempotencyKey: z.string().max(255).optional(),
});
