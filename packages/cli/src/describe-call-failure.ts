import { GrpcStatus, grpcStatus, UnprovenServerError } from '@model-gateway/contracts';

/** Messages of the gRPC library when it has reached no server. */
const NOT_CONNECTED = /^(No connection established|Name resolution failed)/;

/**
 * Describes a failed call, and what to do about it.
 * @returns lines without line breaks; undefined when the error does not come from a call
 */
export function describeCallFailure(error: unknown, addresses: readonly string[]): string[] | undefined {
  if (error instanceof UnprovenServerError) return [describeUnproven(error)];
  const code = grpcStatus(error);
  if (code === undefined || !(error instanceof Error)) return undefined;
  const details = 'details' in error && typeof error.details === 'string' ? error.details : '';
  const where = addresses.join(', ');
  switch (code) {
    case GrpcStatus.UNAVAILABLE:
      if (!NOT_CONNECTED.test(details)) {
        return [`the control plane at ${where} cannot do this now: ${oneLine(details)}`];
      }
      return [
        `no control plane answers at ${where}${inBrackets(causeIn(details))}: ` +
          'start it (npm start), or say where it is with --control-plane or CONTROL_PLANE_ADDRESS',
      ];
    case GrpcStatus.DEADLINE_EXCEEDED:
      return [
        `the control plane at ${where} took too long; what was asked may or may not have been done: ` +
          'look before you repeat it',
      ];
    case GrpcStatus.UNAUTHENTICATED:
      return [
        `the control plane at ${where} does not accept the admin token: ` +
          'set --admin-token or ADMIN_TOKEN to its ADMIN_TOKEN, or --data-dir to the data directory ' +
          'of "npm start"',
      ];
    case GrpcStatus.UNIMPLEMENTED:
      return [`the control plane at ${where} is of an older release, which does not know this command`];
    default:
      // The request was wrong, and the control plane says why. A bad catalog has one line per error.
      return details.trim() === ''
        ? [`the call failed (${GrpcStatus[code]})`]
        : details.split('\n').filter((line) => line.trim() !== '');
  }
}

function describeUnproven({ address, reason }: UnprovenServerError): string {
  if (reason === 'other_token') {
    return (
      `what answers at ${address} has another admin token than you, and was not sent yours: ` +
      'say where your control plane is with --control-plane or CONTROL_PLANE_ADDRESS, or set --admin-token or ' +
      'ADMIN_TOKEN to its ADMIN_TOKEN, or --data-dir to the data directory of "npm start"'
    );
  }
  return (
    `what answers at ${address} does not prove that it has your admin token, and was not sent it: ` +
    'say where your control plane is with --control-plane or CONTROL_PLANE_ADDRESS; if this is yours, of an ' +
    'older release, upgrade it or give --trust-older-server, which sends it the token'
  );
}

/**
 * Returns the part of the library's sentence that tells an operator more, such as `connect ECONNREFUSED
 * 127.0.0.1:50051`.
 */
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
