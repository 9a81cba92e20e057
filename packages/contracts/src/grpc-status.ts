import type { status } from '@grpc/grpc-js';

/** Returns the gRPC status code of an error of a call; undefined for any other error. */
export function grpcStatus(error: unknown): status | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? code : undefined;
}
