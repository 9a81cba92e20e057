/** Every error of the public API, in its exact words. The OpenAPI document shows these same errors. */
export * from './balance-errors.ts';
export * from './guardrail-errors.ts';
export * from './hide-upstream.ts';
export * from './http-errors.ts';
export * from './key-errors.ts';
export * from './limit-errors.ts';
export * from './model-errors.ts';
export * from './overload-errors.ts';
export * from './provider-errors.ts';
export * from './read-errors.ts';
export * from './repeat-errors.ts';
export * from './request-errors.ts';
export * from './response-errors.ts';
export * from './rule-errors.ts';
export * from './stored-response-errors.ts';
export { internalError, rethrown } from './to-gateway-error.ts';
export * from './websocket-errors.ts';
