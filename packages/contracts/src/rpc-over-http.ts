/**
 * Path of unary calls over HTTP: `POST /admin/v1/rpc/AccountService/CreateKey`. Request and response are
 * JSON, with the field names of the generated types, and 64-bit integers as decimal strings.
 */
export const RPC_PATH = '/admin/v1/rpc';

/** Header with the number of the gRPC status. Only errors of a method have it, not those before it runs. */
export const GRPC_STATUS_HEADER = 'grpc-status';
