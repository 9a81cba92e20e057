/**
 * The catalogue: every error that the public interface answers, in its exact words. Nobody else makes one, so
 * that the OpenAPI document can show what is really said, and a sentence is changed in one place.
 */
export * from './balance-errors.ts';
export * from './http-errors.ts';
export * from './key-errors.ts';
export * from './limit-errors.ts';
export * from './model-errors.ts';
export * from './provider-errors.ts';
export * from './read-errors.ts';
export * from './request-errors.ts';
export * from './response-errors.ts';
export * from './room-errors.ts';
export * from './stored-response-errors.ts';
export { internalError, rethrown } from './to-gateway-error.ts';
