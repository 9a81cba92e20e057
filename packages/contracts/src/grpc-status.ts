import type { status } from '@grpc/grpc-js';

/** Returns undefined for errors that are not of gRPC. */
export function grpcStatus(error: unknown): status | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? code : undefined;
}
