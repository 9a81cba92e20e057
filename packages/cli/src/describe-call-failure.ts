import { GrpcStatus, grpcStatus, UnprovenServerError } from '@model-gateway/contracts';
import type { GrpcServer, HttpServer } from './connection-settings.ts';
import { describeHttpFailure } from './http/describe-http-failure.ts';
import { HttpCallError } from './http/http-call-error.ts';

/** Server that gets the calls. */
export type CalledServer = Pick<GrpcServer, 'by' | 'addresses'> | Pick<HttpServer, 'by' | 'url'>;

/** Messages of the gRPC library when it has reached no server. */
const NOT_CONNECTED = /^(No connection established|Name resolution failed)/;

/**
 * Describes a failed call, and what to do about it.
 * @returns lines without line breaks; undefined when the error does not come from a call
 */
export function describeCallFailure(error: unknown, server: CalledServer): string[] | undefined {
  if (error instanceof UnprovenServerError) return [describeUnproven(error)];
  const code = grpcStatus(error);
  if (code === undefined || !(error instanceof Error)) return undefined;
  const details = 'details' in error && typeof error.details === 'string' ? error.details : '';
  const where = server.by === 'grpc' ? server.addresses.join(', ') : server.url;
  if (error instanceof HttpCallError) {
    const line = describeHttpFailure(error, where);
    if (line !== undefined) return [line];
  }
  switch (code) {
    case GrpcStatus.UNAVAILABLE:
      if (!NOT_CONNECTED.test(details)) {
        return [`the control plane at ${where} cannot do this now: ${oneLine(details)}`];
      }
      return [
        `no control plane answers at ${where}${inBrackets(causeIn(details))}: ` +
          'start it (npm start), or set its address with --control-plane or CONTROL_PLANE_ADDRESS',
      ];
    case GrpcStatus.DEADLINE_EXCEEDED:
      return [
        `the control plane at ${where} took too long, and may or may not have made the change: ` +
          'check before you repeat it',
      ];
    case GrpcStatus.UNAUTHENTICATED:
      return [
        `the control plane at ${where} does not accept the admin token: ` +
          'set --admin-token or ADMIN_TOKEN to its ADMIN_TOKEN, or --data-dir to the data directory ' +
          'of "npm start"',
      ];
    case GrpcStatus.UNIMPLEMENTED:
      return [`the control plane at ${where} runs an older release without this command: upgrade it`];
    default:
      // The control plane explains what is wrong with the request. A bad catalog gets one line per error.
      return details.trim() === ''
        ? [`the call failed (${GrpcStatus[code]})`]
        : details.split('\n').filter((line) => line.trim() !== '');
  }
}

function describeUnproven({ address, reason }: UnprovenServerError): string {
  if (reason === 'other_token') {
    return (
      `the server at ${address} has another admin token than you, so yours was not sent: ` +
      'set the address of your control plane with --control-plane or CONTROL_PLANE_ADDRESS, or set ' +
      '--admin-token or ADMIN_TOKEN to its ADMIN_TOKEN, or --data-dir to the data directory of "npm start"'
    );
  }
  return (
    `the server at ${address} does not prove that it has your admin token, so the token was not sent: ` +
    'set the address of your control plane with --control-plane or CONTROL_PLANE_ADDRESS; if this is yours, ' +
    'but an older release, upgrade it, or send it the token with --trust-older-server'
  );
}

/** Returns the useful part of the library's message, such as `connect ECONNREFUSED 127.0.0.1:50051`. */
function causeIn(details: string): string {
  return oneLine(details)
    .replace(/^No connection established\.?\s*(Last error: (Error: )?)?/, '')
    .replace(/\s*Resolution note:$/, '')
    .replace(/\.$/, '');
}

function inBrackets(text: string): string {
  return text === '' ? '' : ` (${text})`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
